"""docs/hosting/compose.yml is one house: the command takes every server's words, and these fit each
other, the container and the balancer.  No test starts a container.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

import plyhouse
from server.cluster.entry import parse_line
from server.cluster.line.handshake import read_secret
from server.place import place_of

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "hosting"


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    """compose.yml."""
    composed: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yml").read_text("utf-8"))
    return composed


@pytest.fixture(scope="module")
def servers(composed: dict[str, Any]) -> dict[str, argparse.Namespace]:
    """What the command is told by each server's service, as it takes it."""
    found = {}
    for name, service in composed["services"].items():
        if name.startswith("server-"):
            words = service["command"]
            parser = argparse.ArgumentParser(exit_on_error=False)
            plyhouse._function(plyhouse.COMMANDS[words[0]].add_arguments)(parser)
            found[name] = parser.parse_args(words[1:])
    return found


def test_the_servers_of_the_compose_file_are_one_house(
    composed: dict[str, Any], servers: dict[str, argparse.Namespace]
) -> None:
    services = composed["services"]
    assert len(servers) == 3
    assert sorted(services[name]["command"][0] for name in servers) == ["serve", "serve", "up"]
    port = re.findall(
        r"^EXPOSE (\d+)$", (FOLDER / "Containerfile").read_text("utf-8"), re.MULTILINE
    )
    for name, args in servers.items():
        place = place_of(args, args.data, secure=False)
        assert place.url == f"ws://{name}:{port[0]}/ws"
        assert parse_line(place.line).host == name
        assert urlsplit(place.database).hostname == "db"
        assert args.host == "0.0.0.0"
        assert f":{args.port}" == f":{port[0]}"
    for same in ("name", "trust_proxy", "database", "secret", "host", "data"):
        assert len({str(getattr(args, same)) for args in servers.values()}) == 1, same
    user = services["db"]["environment"]
    (database,) = {args.database for args in servers.values()}
    assert database == f"postgresql://{user['POSTGRES_USER']}@db/{user['POSTGRES_DB']}"
    passwords = {services[name]["environment"]["PGPASSWORD"] for name in servers}
    assert passwords == {user["POSTGRES_PASSWORD"]}


def test_the_servers_of_the_compose_file_find_their_folders_and_each_other(
    composed: dict[str, Any], servers: dict[str, argparse.Namespace]
) -> None:
    services, made = composed["services"], (FOLDER / "Containerfile").read_text("utf-8")
    (folders,) = re.findall(r"install -d -m 0700 -o plyhouse (.+)$", made, re.MULTILINE)
    owned = set(folders.split())
    data = set()
    for name, args in servers.items():
        mounts = dict(reversed(each.split(":")[:2]) for each in services[name]["volumes"])
        assert set(mounts) <= owned
        assert {str(args.data), str(args.secret.parent)} <= set(mounts)
        data.add(mounts[str(args.data)])
        assert services[name]["networks"] == services["db"]["networks"] == ["house"]
        assert services[name]["stop_grace_period"] == "15s"
        words = services[name]["healthcheck"]["test"]
        assert words[:2] == ["CMD", "plyhouse"]
        parser = argparse.ArgumentParser(exit_on_error=False)
        plyhouse._function(plyhouse.COMMANDS[words[2]].add_arguments)(parser)
        assert parser.parse_args(words[3:]).ask == "ready"
    assert len(data) == len(servers)
    named = {
        each.split(":")[0]
        for service in services.values()
        for each in service.get("volumes", ())
        if not each.startswith(".")
    }
    assert named == set(composed["volumes"])
    (network,) = composed["networks"]["house"]["ipam"]["config"]
    assert {tuple(args.trust_proxy) for args in servers.values()} == {(network["subnet"],)}
    (mount,) = [each for each in services["balancer"]["volumes"] if each.startswith("./")]
    site = (FOLDER / mount.split(":")[0]).read_text("utf-8")
    (upstreams,) = re.findall(r"reverse_proxy (.+) \{", site)
    assert upstreams.split() == [f"{name}:{args.port}" for name, args in servers.items()]
    assert {args.name[0] for args in servers.values()} == set(
        re.findall(r"^([\w.]+) \{", site, re.MULTILINE)
    )


def test_the_container_has_the_database_s_driver_and_the_servers_a_secret(
    composed: dict[str, Any], tmp_path: Path
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    made = (FOLDER / "Containerfile").read_text("utf-8")
    (cut,) = re.findall(r"(sed -n '.+' requirements-dev.lock) > (?=/tmp/asyncpg.lock)", made)
    locked = subprocess.run(cut, check=True, shell=True, cwd=ROOT, capture_output=True, text=True)
    (driver,) = project["optional-dependencies"]["postgres"]
    assert re.findall(r"^[\w-]+(?===)", locked.stdout, re.MULTILINE) == [driver.split(">")[0]]
    assert "--hash=sha256:" in locked.stdout
    assert "--require-hashes -r /tmp/asyncpg.lock" in made
    shell = composed["services"]["secret"]["entrypoint"]
    path = tmp_path / "cluster"
    for _ in range(2):
        words = [word.replace("/secret/cluster", str(path)) for word in shell]
        subprocess.run(words, check=True)
        secret = read_secret(path)
    assert len(secret) > 40
    assert secret == read_secret(path)
