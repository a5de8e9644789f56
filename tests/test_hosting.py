"""docs/hosting.md and the files in docs/hosting/ do what they say: the command takes every
`plyhouse` line, limits and figures are those of the code, systemd accepts the unit, and people come
in through nginx and through Caddy, each counted under their own address.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TypeAlias

import pytest
from prometheus_client.parser import text_string_to_metric_families
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

import plyhouse
from lab.arena.local_server import ServerProcess
from protocol import messages
from protocol.errors import Code
from server.config import Config
from server.figures.exposition import CLUSTER_COUNTERS, CLUSTER_GAUGES
from server.figures.figures import ClusterFigures
from server.figures.histogram import LONG_NS, TIMES_NS, Histogram
from server.figures.move_times import STAGES
from server.metrics import Metrics
from tests.server.scene import Scene
from tests.support.serving import serving

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "hosting"
PAGE = (ROOT / "docs" / "hosting.md").read_text("utf-8")
NAME = "play.example.org"
PATIENCE_S = 60.0

# Writes a configuration into a folder for a server, an https and an http port; the command line.
Proxy: TypeAlias = Callable[[Path, ServerProcess, int, int], list[str]]


def shell_lines() -> Iterator[str]:
    """The commands of all `sh` fences of the page, each on one line."""
    for fence in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        yield from re.sub(r"\\\n\s*", "", fence).splitlines()


def calls(words: list[str]) -> Iterator[list[str]]:
    """What follows each `plyhouse` that is a command of its own among these words."""
    for at, word in enumerate(words):
        named = word == "plyhouse" or word.endswith("/bin/plyhouse")
        if named and words[at + 1 : at + 2] and words[at + 1] in plyhouse.COMMANDS:
            yield list(takewhile(lambda each: each not in ("&&", "||", "|"), words[at + 1 :]))


def house_commands() -> list[list[str]]:
    """Every `plyhouse` command of the page, the units and the container file."""
    text = (FOLDER / "plyhouse.service").read_text("utf-8")
    text += (FOLDER / "cluster.conf").read_text("utf-8").replace("${COMMAND}", "serve")
    unit = re.findall(r"^ExecStart(?:Post=-|=)(.+)$", text, re.MULTILINE)
    lines = [re.sub(r"\$\(.*?\)", "today", line) for line in shell_lines()]
    found = [call for line in lines for call in calls(shlex.split(line, comments=True))]
    found += [call for line in unit for call in calls(shlex.split(line))]
    health = container("HEALTHCHECK [^[]+ CMD")
    return [*found, container("CMD"), *calls(health)]


def container(instruction: str) -> list[str]:
    """The words of an instruction of the container file that holds a list."""
    lines = re.findall(
        rf"^{instruction} (\[.*\])$", (FOLDER / "Containerfile").read_text("utf-8"), re.MULTILINE
    )
    return list(json.loads(lines[-1]))


def test_every_command_of_the_page_is_found() -> None:
    said = sum(line.count("plyhouse admin ") for line in shell_lines())
    found = house_commands()
    assert sum(words[0] == "admin" for words in found) == said > 10
    assert {"up", "serve", "backup", "restore", "admin", "doctor", "purge"} == {
        words[0] for words in found
    }


@pytest.mark.parametrize("words", house_commands(), ids=" ".join)
def test_the_command_takes_every_line(words: list[str]) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    plyhouse._function(plyhouse.COMMANDS[words[0]].add_arguments)(parser)
    parser.parse_args(words[1:])


def test_settings_have_the_defaults_that_the_page_says() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", PAGE, re.MULTILINE)
    assert len(rows) >= 8
    assert {name: int(number.replace(",", "")) for name, number in rows} == {
        name: getattr(Config(), name) for name, _ in rows
    }
    changed = re.findall(r"--set (\w+=(?:\d+|on))", PAGE)
    assert changed
    Config().with_settings(changed)


def test_files_that_the_page_names_are_there_and_no_others() -> None:
    pages = PAGE + (ROOT / "docs" / "cluster.md").read_text("utf-8")
    assert {FOLDER / name for name in re.findall(r"\]\(hosting/([\w.]+)\)", pages)} == set(
        FOLDER.iterdir()
    )


def test_the_container_gets_all_that_set_up_needs() -> None:
    text = (FOLDER / "Containerfile").read_text("utf-8")
    copied = {
        source.rstrip("/")
        for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE)
        for source in line.split()
    }
    assert all((ROOT / source).exists() for source in copied)
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (wheel,) = re.findall(r"^only-include = \[(\"bots\".*)\]$", project, re.MULTILINE)
    needed = set(json.loads(f"[{wheel}]")) | {"README.md", "LICENSE", "pyproject.toml"}
    needed |= {"setup_env.py", "manual_page.py", "requirements.lock", "requirements-dev.lock"}
    assert needed == copied
    assert container("ENTRYPOINT") == ["plyhouse"]


def test_the_container_installs_nothing_without_a_hash() -> None:
    text = (FOLDER / "Containerfile").read_text("utf-8")
    installs = re.findall(r"pip install (.*?) \\$", text, re.MULTILINE)
    assert installs
    assert all("--require-hashes" in words for words in installs)
    (script,) = re.findall(r"sed -n '(.*)' requirements-dev.lock", text)
    lock = subprocess.run(
        ["sed", "-n", script, str(ROOT / "requirements-dev.lock")],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert lock[0].startswith("asyncpg==")
    assert len(lock) > 2
    assert all(line.startswith("    --hash=sha256:") for line in lock[1:])
    assert [line for line in lock if not line.endswith("\\")] == lock[-1:]


# --- with systemd, nginx and Caddy themselves


def tool(name: str) -> str:
    """The path of a program, or a skipped test that says which one is missing."""
    path = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if path is None:
        pytest.skip(f"{name} is not installed here")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("beside", [(), ("cluster.conf",)], ids=["alone", "one of several"])
def test_systemd_accepts_the_unit(beside: tuple[str, ...], tmp_path: Path) -> None:
    program = tmp_path / "plyhouse"
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    unit = tmp_path / "plyhouse.service"
    more = tmp_path / "plyhouse.service.d"
    more.mkdir()
    for name, path in [(unit.name, unit), *((name, more / name) for name in beside)]:
        text = (FOLDER / name).read_text("utf-8")
        path.write_text(text.replace("/opt/plyhouse/.venv/bin/plyhouse", str(program)), "utf-8")
    verify = [tool("systemd-analyze"), "verify", "--man=no", str(unit)]
    done = subprocess.run(verify, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def free_ports(number: int) -> list[int]:
    """So many ports of this machine that nobody listens on, below those that systems give away for
    port 0: nobody else gets one of them before the proxy that is told to use it.
    """
    ports: list[int] = []
    while len(ports) < number:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            ports.append(port)
    return ports


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost that signs itself, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    make = shlex.split("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost")
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([tool("openssl"), *make, *names], check=True, capture_output=True)
    return cert, key


def nginx_command(folder: Path, server: ServerProcess, port: int, plain: int) -> list[str]:
    """nginx with our file, ports and paths put in, as a program of this test alone."""
    cert, key = certificate(folder)
    site = (FOLDER / "nginx.conf").read_text("utf-8")
    site = re.sub(r"listen \[::\]:.*\n", "", site)
    for old, new in (
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("listen 80", f"listen 127.0.0.1:{plain}"),
        (f"/etc/letsencrypt/live/{NAME}/fullchain.pem", str(cert)),
        (f"/etc/letsencrypt/live/{NAME}/privkey.pem", str(key)),
        (f"server_name {NAME}", "server_name localhost"),
        ("127.0.0.1:8765", server.address),
    ):
        assert old in site
        site = site.replace(old, new)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    whole = folder / "whole.conf"
    whole.write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}\n{site}\n}}\n",
        "utf-8",
    )
    return [tool("nginx"), "-c", str(whole), "-p", str(folder), "-e", "stderr"]


def caddy_command(
    folder: Path, server: ServerProcess, port: int, plain: int, name: str = "Caddyfile"
) -> list[str]:
    """Caddy with our file, ports and a certificate put in."""
    cert, key = certificate(folder)
    site = (FOLDER / name).read_text("utf-8")
    assert f"\n{NAME} {{\n" in site
    site = site.replace(f"\n{NAME} {{\n", f"\nlocalhost:{port} {{\n\ttls {cert} {key}\n")
    site = site.replace("127.0.0.1:8765", server.address)
    file = folder / "Caddyfile"
    file.write_text(
        f"{{\n\tadmin off\n\thttp_port {plain}\n\tdefault_bind 127.0.0.1\n}}\n{site}", "utf-8"
    )
    return [tool("caddy"), "run", "--adapter", "caddyfile", "--config", str(file)]


def balancer_command(folder: Path, server: ServerProcess, port: int, plain: int) -> list[str]:
    """Caddy with our file for several servers, of which two do not answer."""
    command = caddy_command(folder, server, port, plain, "cluster.Caddyfile")
    site = (folder / "Caddyfile").read_text("utf-8")
    away = " ".join(f"127.0.0.1:{each}" for each in free_ports(2))
    site, found = re.subn(
        r"server-1:8765 server-2:8765 server-3:8765", f"{away} {server.address}", site
    )
    site, hosts = re.subn(rf"Host {NAME}", "Host localhost", site)
    assert (found, hosts) == (1, 1)
    (folder / "Caddyfile").write_text(site, "utf-8")
    return command


@contextmanager
def proxy(command: list[str], port: int, folder: Path) -> Iterator[None]:
    """Run a proxy until the block ends."""
    home = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
    log = folder / "proxy.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(command, env=home, stdout=errors, stderr=errors)
    try:
        until = time.monotonic() + PATIENCE_S
        while True:
            assert process.poll() is None, log.read_text("utf-8")
            assert time.monotonic() < until, log.read_text("utf-8")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def trusting(cert: Path) -> ssl.SSLContext:
    """What a client trusts that knows our certificate."""
    return ssl.create_default_context(cafile=str(cert))


def come_in(port: int, cert: Path, own: str, **headers: str) -> connect:
    """Connect through the proxy from an address of one's own, as a page of it would.

    Not with websockets' client of threads, of which one reads while another writes on the same
    `ssl` object: behind Caddy it lost a handshake's answer about once in a hundred.
    """
    place = f"localhost:{port}"
    return connect(
        f"wss://{place}/ws", host="127.0.0.1", local_addr=(own, 0), ssl=trusting(cert),
        origin=Origin(f"https://{place}"), proxy=None, additional_headers=headers,
        compression=None, open_timeout=PATIENCE_S,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.socket
@pytest.mark.parametrize(
    "make", [nginx_command, caddy_command, balancer_command], ids=["nginx", "caddy", "balancer"]
)
async def test_people_come_in_through_the_proxy_each_under_their_own_address(
    make: Proxy, tmp_path: Path
) -> None:
    tool("nginx" if make is nginx_command else "caddy")
    port, plain = free_ports(2)
    trust = ("serve", "--trust-proxy", "127.0.0.1", "--name", "localhost")
    async with AsyncExitStack() as here:
        server = here.enter_context(
            serving(tmp_path / "data", {"connections_per_address": 1}, trust)
        )
        here.enter_context(proxy(make(tmp_path, server, port, plain), port, tmp_path))
        cert = tmp_path / "cert.pem"
        for own in ("127.0.0.2", "127.0.0.3", "127.0.0.4"):
            person = await here.enter_async_context(come_in(port, cert, own))
            await person.send(json.dumps({"type": "hello", "version": 1}))
            async with asyncio.timeout(PATIENCE_S):
                assert json.loads(await person.recv())["type"] == "welcome"
        lie = {"X-Forwarded-For": "203.0.113.9"}
        with pytest.raises(InvalidStatus) as refused:
            await come_in(port, cert, "127.0.0.2", **lie)
        assert refused.value.response.status_code == 503

        def get(path: str) -> bytes:
            address = f"https://localhost:{port}{path}"
            safe = trusting(cert)
            with urllib.request.urlopen(address, timeout=PATIENCE_S, context=safe) as page:
                return bytes(page.read())

        assert b"<title>" in await asyncio.to_thread(get, "/")
        assert json.loads(await asyncio.to_thread(get, "/healthz"))["ok"] is True
        for path in ("/metrics", "/admin", "/admin/anything"):
            with pytest.raises(urllib.error.HTTPError) as hidden:
                await asyncio.to_thread(get, path)
            with hidden.value:
                assert hidden.value.code == 404


# --- the figures, the dashboard, the alerts


def queries() -> list[str]:
    """Every query of the dashboard and of the alerts."""
    dashboard = json.loads((FOLDER / "grafana.json").read_text("utf-8"))
    variables = [each["definition"] for each in dashboard["templating"]["list"][1:]]
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    alerts = (FOLDER / "alerts.yml").read_text("utf-8")
    return [*variables, *shown, *re.findall(r"^ +expr: (.+)$", alerts, re.MULTILINE)]


@pytest.fixture
def families() -> dict[str, str]:
    """The metrics that one of several servers exports, and of which type each is."""
    scene = Scene()
    scene.store.free = 10**9
    scene.enter("ann").refused(messages.Watch(id=1, room=99))
    metrics = Metrics(scene.hub, scene.outage)
    gauges, counters = dict.fromkeys(CLUSTER_GAUGES, 1.0), dict.fromkeys(CLUSTER_COUNTERS, 2)
    forwards, takeovers = Histogram(TIMES_NS), Histogram(LONG_NS)
    metrics.cluster = lambda: ClusterFigures(1, False, gauges, counters, forwards, takeovers)
    text = metrics.text().decode()
    scene.close()
    return {each.name: each.type for each in text_string_to_metric_families(text)}


SERIES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}


def test_every_query_asks_for_what_is_exported(families: dict[str, str]) -> None:
    series = {name + end for name, kind in families.items() for end in SERIES[kind]}
    asked = queries()
    assert len(asked) > 35
    for query in asked:
        names = set(re.findall(r"\b((?:plyhouse|process)_\w+)", query))
        assert names <= series, query
        assert names or query.startswith("up{"), query
        for labels in re.findall(r"\bby \(([^)]*)\)", query):
            assert set(re.split(r",\s*", labels)) <= {"le", "stage", "code", "instance"}, query
        for stage in re.findall(r'stage="(\w+)"', query):
            assert stage in STAGES
        for code in re.findall(r'code="([^"]+)"', query):
            assert code in set(Code)
        assert query.count("(") == query.count(")")


def test_every_figure_is_explained_and_shown(families: dict[str, str]) -> None:
    ours = {name + ("_total" if kind == "counter" else "") for name, kind in families.items()}
    ours = {name for name in ours if name.startswith("plyhouse_")}
    assert set(re.findall(r"`(plyhouse_\w+)`", PAGE)) == ours
    shown = "\n".join(queries())
    assert {name for name in ours if name not in shown} == set()


def test_the_dashboard_is_one_that_grafana_can_draw() -> None:
    dashboard = json.loads((FOLDER / "grafana.json").read_text("utf-8"))
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) > 10
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        across = range(place["x"], place["x"] + place["w"])
        cells = {(x, place["y"] + y) for x in across for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        assert max(across) < 24
        taken |= cells
        assert panel["title"]
        assert panel["description"].endswith(".")
        assert {each["datasource"]["uid"] for each in (panel, *panel["targets"])} == {"${source}"}


@pytest.mark.slow
def test_prometheus_accepts_the_alerts() -> None:
    check = [tool("promtool"), "check", "rules", str(FOLDER / "alerts.yml")]
    done = subprocess.run(check, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    alerts = (FOLDER / "alerts.yml").read_text("utf-8")
    assert f"{alerts.count('- alert:')} rules found" in done.stdout


@pytest.mark.slow
@pytest.mark.socket
def test_a_real_server_exports_all_figures_but_those_of_what_has_not_happened(
    tmp_path: Path, families: dict[str, str]
) -> None:
    with (
        serving(tmp_path / "data") as server,
        urllib.request.urlopen(f"{server.url}/metrics", timeout=PATIENCE_S) as page,
    ):
        text = page.read().decode()
    there = {family.name for family in text_string_to_metric_families(text)}
    of_several = {*CLUSTER_GAUGES, *CLUSTER_COUNTERS, "forward_seconds", "takeover_seconds"}
    of_several = {f"plyhouse_{name}" for name in of_several}
    assert of_several <= set(families)
    assert set(families) - of_several <= there
    assert not of_several & there
