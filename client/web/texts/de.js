/* The page's words in German: informal, with the terms that players use.  The shape is that of en.js,
   which tells what each word is for; the type check compares the two. */

/** @import { Who } from "./en.js" */
/** @import { Words } from "./words.js" */

const NINE = ["oben links", "oben Mitte", "oben rechts", "Mitte links", "Mitte", "Mitte rechts", "unten links", "unten Mitte", "unten rechts"];

/** @param {Who} who */
const person = ({ isMe, name }) => (isMe ? "du" : name);

/** @param {Who} who */
const by = ({ isMe, name }) => `von ${isMe ? "dir" : name}`;

/** @param {Who} who */
const holds = ({ isMe, name }) => (isMe ? "Du hast" : `${name} hat`);

/** @param {string | null} owner a name, or null: the reader */
const of = (owner) => `von ${owner ?? "dir"}`;

/** @param {number[]} cells */
const cellList = (cells) => (cells.length < 2 ? cells.join("") : `${cells.slice(0, -1).join(", ")} und ${cells[cells.length - 1]}`);
/** @param {(string | number)[]} items
 *  @param {"conjunction" | "disjunction"} type */
const list = (items, type) => new Intl.ListFormat("de", { type }).format(items.map(String));

/** Counts of checkers. */
const COUNTS = ["keiner", "einer", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
  "dreizehn", "vierzehn", "fünfzehn"];

/** @param {number} number */
const numeral = (number) => COUNTS[number] ?? String(number);

/** @param {number} points */
const inPoints = (points) => (points === 1 ? "1 Punkt" : `${points} Punkte`);

/** A time that has passed.
 *  @param {number} ms */
const duration = (ms) => (ms < 90_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`);

/** A play that may be planned while the other side thinks, or is planned.
 *  @param {"may" | "set" | null} plan */
const planText = (plan) => (plan === null ? "" : plan === "set" ? "Geplant; drücken verwirft den Plan." : "Drücken plant den Zug.");

/** @type {Words} */
const german = {
  common: {
    lobby: "Lobby",
    close: "Schließen",
    freeSeat: "freier Platz",
    noClock: "ohne Uhr",
    anyClock: "jede Uhr",
    perMoveDays: (days) => (days === 1 ? "1 Tag je Zug" : `${days} Tage je Zug`),
    days: ({ days, hours }) => `${days} T ${hours} h`,
    perMove: ({ seconds }) => `${seconds} s je Zug`,
    decimal: (number) => number.replace(".", ","),
    games: {
      connect_four: "Vier gewinnt", tic_tac_toe: "Tic-Tac-Toe", ultimate_tic_tac_toe: "Ultimatives Tic-Tac-Toe", backgammon: "Backgammon",
      backgammon_cube: "Backgammon mit Dopplerwürfel",
    },
    shortGames: { backgammon_cube: "Backgammon" },
  },

  ways: {
    title: "Andere Wege zu spielen",
    terminal: "Im Terminal; auf einem anderen Rechner dieses Netzes dazu --url und die Adresse dieser Seite:",
    program: "Oder lass ein Programm spielen:",
    own: "Oder schreib eines in irgendeiner Sprache: protocol/SPEC.md sagt, was über den WebSocket /ws dieses Ports zu sprechen ist, in msgpack oder JSON.",
    board: "Ein Analysebrett",
    imported: "Partien aus Dateien",
    health: "Welcher Server das ist",
    metrics: "Wie es ihm geht",
  },

  door: {
    who: "Wer spielt?",
    about: "Menschen und Bots spielen hier an denselben Tischen. Wähle einen Namen, und er gehört dir.",
    name: "Dein Name",
    enter: "Eintreten",
    play: "Spielen",
    watch: "Nur zuschauen",
    guest: "Als Gast spielen",
    playNow: "Gleich spielen:",
    entering: "Du trittst ein …",
    be: ({ name }) => `${name} heißen`,
    earlier: "Deine Namen in diesem Browser",
    again: ({ name }) => `Als ${name} eintreten`,
    have: "Ich habe hier schon einen Namen",
    code: "Sein Wiederherstellungscode oder der Code eines anderen Geräts",
    bring: "Hierher holen",
    looking: "Wer lädt dich ein? …",
    invites: ({ name, game }) => `${name} lädt dich ein: ${game}.`,
    someone: ({ game }) => `Du bist eingeladen: ${game}.`,
    blank: "Du hast einen Link zu einem Tisch.",
    terms: ({ clock, rated }) => `${clock}, ${rated ? "gewertet" : "nicht gewertet"}`,
    full: "Beide Plätze sind besetzt; du kannst zuschauen.",
    begins: "Das Spiel beginnt, sobald du dich setzt.",
    lobby: "Zur Lobby",
    gone: "Einen Tisch mit diesem Code gibt es nicht mehr.",
  },

  lobby: {
    choose: "Wähle ein Spiel",
    bot: "Gegen einen Bot",
    against: ({ bot, level }) => (level ? `${bot}, Stufe ${level}: ${LEVELS[level - 1]}` : bot),
    allBusy: "Gerade sind alle Bots beschäftigt",
    another: ({ bot }) => `${bot} hat gerade keine Zeit: Ein anderer Bot dieser Stärke kommt.`,
    own: {
      away: "Während du weg warst",
      open: "Deine offenen Partien",
      due: (count) => (count === 1 ? "Du bist in 1 Partie am Zug" : `Du bist in ${count} Partien am Zug`),
      left: (time) => `noch ${time}`,
      claimed: ({ name, day }) => `${name} hat ${day} den Sieg gefordert.`,
      today: "heute",
      on: (day) => `am ${day}`,
      look: "Ansehen",
      seen: "Weglegen",
      yours: "du bist am Zug",
      theirs: "die andere Seite ist am Zug",
      goOn: "Weiterspielen",
      goOnWith: ({ name, game }) => `Weiterspielen: ${game} mit ${name}`,
      giveUp: "Aufgeben",
      giveUpWith: ({ name, game }) => `Aufgeben: ${game} mit ${name}`,
      giveUpQuestion: "Diese Partie aufgeben?",
      giveUpPrice: (name) => `${name} gewinnt sie.`,
    },
    noBot: "Gerade spielt hier kein Bot dieses Spiel",
    find: "Gegner finden",
    findAbout: "Wer dasselbe will, setzt sich zu dir, gleich oder sobald jemand kommt.",
    friend: "Mit einem Freund",
    friendAbout: "Ein eigener Tisch, mit Link, QR-Code und Code zum Teilen.",
    table: "Tisch eröffnen",
    tableAbout: "Wer hier ist, kann sich dazusetzen.",
    who: "Bot",
    level: "Spielstärke",
    strength: ({ level }) => `Stufe ${level}: ${LEVELS[level - 1]}`,
    busy: ({ bot }) => `${bot} (beschäftigt)`,
    ofOwner: ({ bot, owner }) => `${bot} von ${owner}`,
    levelled: ({ bot, level }) => `${bot}, Stufe ${level}`,
    clock: "Uhr",
    seat: "Du ziehst",
    seats: { first: "zuerst", second: "danach", any: "nach Los" },
    terms: {
      length: "Match",
      money: "einzeln, um Geld",
      points: (points) => (points === 1 ? "auf 1 Punkt" : `auf ${points} Punkte`),
      start: "Aufstellung",
      starts: { standard: "üblich", nackgammon: "Nackgammon", hypergammon: "Hypergammon" },
      cube: "Dopplerwürfel",
      jacoby: "Jacoby-Regel",
      jacobyWhy: "Ein Gammon zählt erst, wenn jemand ein Doppel angenommen hat.",
      beavers: "Beaver",
      beaversWhy: "Wer gedoppelt wird, darf sofort zurückdoppeln und behält den Würfel.",
      toPoints: (points) => `auf ${points} ${points === 1 ? "Punkt" : "Punkte"}`,
      score: ([one, two]) => `${one} : ${two}`,
      crawford: "Crawford",
      game: (game) => `Spiel ${game}`,
      standing: ({ game, points, score }) => `Spiel ${game} eines Matchs auf ${points} ${points === 1 ? "Punkt" : "Punkte"}, beim Stand von ${score}`,
      wonBy: (name) => `gewonnen von ${name}`,
      forMoney: "um Geld",
      noCube: "ohne Dopplerwürfel",
    },
    rated: "Gewertet, gegen Menschen",
    ratedShort: "gewertet",
    ratedWhy: "Dafür braucht es eine Uhr; Bots werden hier nie gewertet.",
    bots: {
      mcts: ["Baumsuche", "Kennt nur die Regeln: Er spielt von hier viele zufällige Partien und folgt dem, was gewinnt. Er lernt nichts."],
      minimax: ["Rechner", "Rechnet Zug um Zug voraus und beurteilt Stellungen nach festen Regeln."],
      hybrid: ["Suche und Rechnen", "Spielt anfangs zufällige Partien und rechnet später voraus."],
      flat: ["Zufallspartien", "Probiert jeden Zug in kurzen zufälligen Partien und schaut in keine tiefer hinein."],
      solver: ["bis zum Ende", "Sucht bis zum Ende der Partie und spielt fehlerlos, wo er es erreicht."],
      gammon: ["neuronales Netz", "Hat Backgammon im Spiel gegen sich selbst gelernt; auf höheren Stufen betrachtet er alle 21 Würfe, die kommen können."],
      random: ["reiner Zufall", "Spielt irgendeinen erlaubten Zug, jeden gleich oft."],
    },
    have: "Ich habe einen Code",
    join: "Mitspielen",
    here: "Gerade hier",
    best: (/** @type {{game: string}} */ { game }) => `Die Besten bei ${game}`,
    starOf: (/** @type {string} */ name) => `Ein Stern für ${name}: steht oben, und es wird gesagt, wer kommt`,
    friendCame: (/** @type {string} */ name) => `${name} ist da.`,
    ratedAt: (/** @type {{elo: string, error: number, matches: number}} */ { elo, error, matches }) => `${elo} ±${error} · ${matches} gewertete Partien`,
    people: "Menschen",
    alone: "Gerade ist niemand sonst hier. „Mit einem Freund“ macht einen Link für jemanden, der nicht da ist.",
    playing: "spielt gerade",
    invite: "Einladen",
    inviteTo: ({ name, game }) => `${name} einladen: ${game}`,
    seatsFree: "Freie Plätze",
    live: "Laufende Partien",
    watch: "Zuschauen",
    goTo: "Zum Tisch",
    joinAt: ({ names, game }) => `Mitspielen bei ${names}: ${game}`,
    watchAt: ({ names, game }) => `Zuschauen bei ${names}: ${game}`,
    quiet: "Gerade ist kein Tisch offen.",
    more: ({ total }) => `${total} Tische sind offen; das sind die neuesten.`,
    between: ({ score }) => `zwischen zwei Partien, ${score}`,
    ply: ({ ply }) => (ply ? `Zug ${ply}` : "eben begonnen"),
    score: ({ score }) => `bisher ${score}`,
    waits: ({ name }) => `${name} wartet`,
    versus: ({ one, two }) => `${one} – ${two}`,
    onLadder: ({ ladder }) => `Rangliste ${ladder}`,
    ladders: "Ranglisten",
    ladder: ({ game, running, pairs }) => `${game} · ${running ? "läuft" : "beendet"} · ${pairs === 1 ? "1 Paar" : `${pairs} Paare`}`,
    botsHere: "Bots",
    botPlays: ({ games, levels, free }) => [...(games ? [games] : []), ...(levels ? [`Stufen 1 bis ${levels}`] : []), free ? `${free} frei` : "beschäftigt"].join(" · "),
    allBut: ({ game }) => `alles außer ${game}`,
    noBots: "Kein Bot ist verbunden.",
    last: "Deine letzten Partien",
    all: "Alle",
    won: ({ name }) => `Gewonnen gegen ${name}`,
    lost: ({ name }) => `Verloren gegen ${name}`,
    drawn: ({ name }) => `Unentschieden gegen ${name}`,
    off: ({ name }) => `Abgebrochen mit ${name}`,
    inviting: "Wer soll mit dir spielen?",
    inviteFriend: "Schick das deinem Freund. Das Spiel beginnt, sobald er sich setzt.",
    waiting: "Jetzt kann sich jeder dazusetzen, der hier ist; oder frag jemanden.",
    seeking: ({ terms, time, isLong }) => `Suche seit ${time} jemanden: ${terms}.${isLong ? " Ein Bot hätte gleich Zeit." : ""}`,
    callBot: "Oder ein Bot",
    call: "Bot rufen",
    byName: "Wer hier ist, mit Namen",
    invited: ({ name }) => `${name} ist eingeladen.`,
  },

  share: {
    link: "Link",
    code: "Code",
    copy: "Link kopieren",
    share: "Teilen",
    copied: "Der Link ist kopiert.",
    byHand: "Der Link ist ausgewählt: Kopiere ihn von Hand.",
    qr: "QR-Code des Links",
    thisMachine: "Dieser Link führt nur auf diesem Rechner ans Ziel. Öffne die Seite unter der Adresse, die dieser Rechner im Netz hat, dann gilt er auch dort.",
    tables: "Deine Tische",
    due: ({ table }) => `${table} · du bist am Zug`,
    past: "Deine Partien",
    devices: "Deine Geräte, Wiederherstellungscode",
    rename: "Namen ändern",
    leaveFirst: "Verlass zuerst deine Tische: Ein Platz gehört zu deinem Namen.",
  },

  table: {
    yourTurn: "Du bist am Zug.",
    yourTurnNow: "Du bist am Zug: zurück zum Jetzt",
    toMove: (name) => `${name} ist am Zug.`,
    dice: "Die Würfel rollen.",
    titleTurn: (title) => `Du bist am Zug · ${title}`,
    pointsOf: ({ score, points }) => `${score} von ${points} Punkten`,
    nextGame: "Nächstes Spiel",
    nextSoon: "Weiter geht es binnen einer Minute.",
    giveUpQuestion: "Das ganze Match aufgeben?",
    giveUpPrice: ({ name, points }) => `Wer zwischen zwei Spielen geht, gibt das Match auf ${points} Punkte auf: ${name} gewinnt es.`,
    giveUp: "Gehen und aufgeben",
    going: "Du gehst zum Tisch …",
    boardMissing: "Das Brett konnte nicht geladen werden. Bitte lade diese Seite neu.",
    paused: {
      pair: "Die Uhr wartet auf die andere Partie dieses Paars.",
      server: "Die Uhr wartet: Ein Server war weg.",
      store: "Die Uhr wartet: Der Server kann gerade nichts speichern.",
      other: (reason) => `Die Uhr wartet: ${reason}.`,
    },
    lost: "Deine Leitung ist unterbrochen; deine Uhr kann weiterlaufen.",
    lostNoClock: "Deine Leitung ist unterbrochen. Was inzwischen gespielt wird, siehst du, wenn sie wieder da ist.",
    waitsForLine: (action) => `Wartet auf die Leitung: ${action}.`,
    takeItBack: "Zurücknehmen",
    closed: "Dieser Raum ist geschlossen.",
    seatFree: "Ein Platz ist frei.",
    notBegun: "Die Partie hat noch nicht begonnen.",
    called: (who) => `${who} wird gerufen …`,
    alone: "Es fehlt noch jemand.",
    empty: "Gegenüber sitzt niemand.",
    waitsFor: (name) => `${name} ist noch nicht bereit.`,
    wantsToPlay: (name) => `${name} möchte spielen.`,

    players: "Wer spielt",
    you: "du",
    bot: "Bot",
    botLevel: (level) => `Bot, Stufe ${level}: ${LEVELS[level - 1]}`,
    botOf: (owner) => `Bot von ${owner}`,
    won: "hier gewonnene Partien",
    connected: "verbunden",
    away: "abwesend",
    nobody: "niemand",
    unknown: "ohne Verbindung nicht bekannt",

    actions: "Aktionen",
    hint: "Tipp",
    takeback: "Zug zurück",
    draw: "Remis",
    claim: "Sieg fordern",
    abort: "Abbruch",
    resign: "Aufgeben",
    analyse: "Analyse",
    sit: "Platz nehmen",
    newGame: "Neues Spiel",
    rematch: "Revanche",
    easier: "Leichter",
    callAgain: "Neu rufen",
    ready: "Bereit",
    invite: "Einladen",
    leave: "Gehen",
    stopWatching: "Weggehen",
    stopSeeking: "Nicht weiter suchen",
    toLobby: "Lobby",
    chat: "Chat",
    unread: (count) => (count === 1 ? "Chat, 1 ungelesene Zeile" : `Chat, ${count} ungelesene Zeilen`),
    confirm: (action) => `Spielen: ${action}`,
    dropIt: "Doch nicht",
    plan: (action) => `Geplant: ${action}`,
    planned: (action) => `Geplant: ${action}. Das wird gespielt, sobald du am Zug bist, wenn es geht.`,
    dropPlan: "Plan verwerfen",
    drop: "Verwerfen",
    planDropped: "Der Plan ist verworfen.",
    planLost: (action) => `Dein Plan, ${action}, geht jetzt nicht: Er ist verworfen.`,
    readBoard: "Brett vorlesen",
    notReadable: "Dieses Brett lässt sich nicht vorlesen.",

    resignQuestion: { match: "Diese Partie aufgeben?", game: "Dieses Spiel aufgeben?" },
    resignDecides: ({ name, points }) => `Damit gewinnt ${name} das Match auf ${points} Punkte.`,
    matchGoesOn: ({ points, mine, theirs }) => `Nur dieses Spiel: Das Match auf ${points} Punkte geht weiter, bei ${mine} : ${theirs}.`,
    drawQuestion: "Remis anbieten?",
    drawAbout: (name) => `Nimmt ${name} an, ist die Partie sofort zu Ende, und keiner hat sie gewonnen.`,
    resignPrice: ({ name, points }) => (points === 1 ? `${name} gewinnt sie.` : `${name} gewinnt ${points} Punkte.`),
    resignChoice: (name) =>
      `Biete weniger Punkte an; ${name} kann annehmen oder weiterspielen. Oder gib gleich alle ab.`,
    resignLevels: ["", " (einfach)", " (Gammon)", " (Backgammon)"],
    resignAt: ({ points, isFull }) => (isFull ? `Mit ${points === 1 ? "1 Punkt" : `${points} Punkten`} aufgeben` : `${inPoints(points)} anbieten`),
    goOn: "Weiterspielen",

    hintAsked: "Ein Bot wird gefragt …",
    hintIs: ({ by: bot, action }) => `${bot} würde so spielen: ${action}.`,
    youOffer: {
      draw: "Du bietest Remis an.",
      takeback: "Du bittest darum, den letzten Zug zurückzunehmen.",
      resign: (points) => `Du bietest an, mit ${points === 1 ? "1 Punkt" : `${points} Punkten`} aufzugeben.`,
    },
    offers: {
      draw: (name) => `${name} bietet Remis an.`,
      takeback: (name) => `${name} möchte den letzten Zug zurücknehmen.`,
      resign: (name, points) => `${name} bietet an, mit ${points === 1 ? "1 Punkt" : `${points} Punkten`} aufzugeben.`,
      other: (name, kind) => `${name} bietet „${kind}“ an, was diese Seite nicht kennt.`,
    },
    declined: {
      draw: (name) => `${name} lehnt das Remis ab und spielt weiter.`,
      takeback: (name) => `${name} lässt den Zug nicht zurücknehmen.`,
      resign: (name) => `${name} lehnt die angebotenen Punkte ab und spielt weiter.`,
      other: (name) => `${name} lehnt ab.`,
    },
    withdrawn: (name) => `${name} zieht das Angebot zurück.`,
    lapsed: "Dein Angebot ist hinfällig: Die Partie ging weiter.",
    takenBack: "Der letzte Zug wurde zurückgenommen.",
    accept: "Annehmen",
    decline: "Ablehnen",
    withdraw: "Zurückziehen",

    left: (name) => `${name} ist gegangen.`,
    begin: {
      waits: (name) => `Es wird auf ${name} gewartet; solange läuft keine Uhr.`,
      yours: ({ time, isVoid }) => `Noch ${time}, um zu beginnen; danach ${isVoid ? "gilt die Partie nicht" : "läuft deine Uhr"}.`,
      theirs: ({ name, time, isVoid }) => `${name} hat noch ${time}, um zu beginnen; danach ${isVoid ? "gilt die Partie nicht" : "läuft die Uhr"}.`,
    },
    satDown: (name) => `${name} ist da`,
    leftClock: (name) => `${name} ist gegangen; die Uhr läuft weiter.`,
    hours: (hours) => `${hours} Stunden`,
    leftClaim: ({ name, time }) => `${name} ist gegangen; in ${time} kannst du den Sieg fordern.`,
    leftNow: (name) => `${name} ist gegangen und kommt nicht zurück.`,
    returned: (name) => `${name} ist wieder da.`,

    plays: ({ name, action }) => `${name} spielt ${action}.`,
    youPlay: (action) => `Du spielst ${action}.`,
    rolled: (dice) => `Die Würfel: ${dice}.`,
    says: ({ name, text }) => `${name} sagt: ${text}`,
    botSays: [
      ["Nothing has started here for a while, so I leave.", "Hier beginnt nichts, also gehe ich."],
      [/^No draw: (.+) I accept .+/, "Kein Remis: $1 Bis 0 nehme ich an."],
      ["I have not moved yet.", "Ich habe noch nicht gezogen."],
      [/I see myself at (\S+)\.(\d\d)\./, "Ich sehe mich bei $1,$2."],
      [/^(\d+) is not enough: /, "$1 sind nicht genug: "],
      ["I cannot tell what is due.", "Ich weiß nicht, was fällig ist."],
      [/I expect (\S+)\.(\d\d)\.$/, "Ich erwarte $1,$2."],
      [/^I cannot play .+/, "Ich kann das nicht spielen."],
      ["I play on ladders only.", "Ich spiele nur auf Ranglisten."],
      ["I have no time just now.", ""],
      [/^wins$/, "gewinnt"],
      [/^loses$/, "verliert"],
      [/^draw$/, "Remis"],
      [/^from (\S+) to (\S+)$/, "von $1 bis $2"],
      [/ simulations$/, " Simulationen"],
      ["too good to double", "zu gut zum Doppeln"],
      [/wins (\d+)\.(\d) % \(gammon (\d+)\.(\d) %\), loses gammon (\d+)\.(\d) %/, "gewinnt $1,$2 % (Gammon $3,$4 %), verliert Gammon $5,$6 %"],
      [/^The bots of the house .+/i, "Mit dieser Uhr spielen die Bots des Hauses nicht."],
    ],
    whileAway: (what) => `Während du weg warst: ${what}`,
    movesPlayed: (count) => (count === 1 ? "1 Zug wurde gespielt." : `${count} Züge wurden gespielt.`),

    moves: "Züge",
    noMoves: "Noch hat niemand gezogen.",
    first: "Zum Anfang",
    back: "Einen Zug zurück",
    next: "Einen Zug weiter",
    last: "Zurück zum Jetzt",
    where: ({ move, of: all }) => `Zug ${move} von ${all}`,
    lookingBack: ({ move, of: all }) => (move === 0 ? "Rückblick: der Anfang." : `Rückblick: Zug ${move} von ${all}.`),
    typed: (text) => `Getippt: ${text}`,
    notAMove: (text) => `„${text}“ ist hier kein Zug.`,

    say: "Sagen",
    saySomething: "Sag etwas",
    watching: "schaut zu",
    watchersLater: "Was Zuschauer sagen, steht nach der Partie hier.",
    watchersOnly: "Die Spieler lesen nach der Partie, was du sagst.",
    recordShort: "Ansehen",
    big: "Große Ansicht, für einen Projektor",
    offerDraw: "Remis anbieten",
    hideChat: "Chat ausblenden",
    showChat: "Chat einblenden",
    room: (number) => `Raum ${number}`,
    private: "privat",
    rated: "gewertet",
    watchers: (count) => (count === 1 ? "1 schaut zu" : `${count} schauen zu`),
    ladder: (name) => `Rangliste ${name}`,
    record: "Diese Partie: Züge, Würfel, Dateien",
  },

  results: {
    drop: { mine: ({ name, points }) => `Du hast das Doppel abgelehnt: ${name} gewinnt ${inPoints(points)}.`, yours: ({ name, points }) => `${name} hat das Doppel abgelehnt: Du gewinnst ${inPoints(points)}.`,
      theirs: ({ name, winner, points }) => `${name} hat das Doppel abgelehnt: ${winner} gewinnt ${inPoints(points)}.` },
    series: ({ score, points }) => `${score}, auf ${points} Punkte.`,
    youWonSeries: (score) => `Du hast das Match gewonnen, ${score}.`,
    wonSeries: ({ name, score }) => `${name} hat das Match gewonnen, ${score}.`,
    youConceded: (name) => `Du hast das Match aufgegeben: ${name} gewinnt es.`,
    conceded: ({ name, loser }) => `${loser} hat das Match aufgegeben: ${name} gewinnt es.`,
    youWonConceded: (loser) => `${loser} hat das Match aufgegeben: Du gewinnst es.`,
    youWon: ({ why, points }) => (points > 1 ? `Du hast ${points} Punkte gewonnen: ${why}.` : `Du hast gewonnen: ${why}.`),
    youLost: ({ why, points, name }) =>
      (points > 1 ? `Du hast ${points} Punkte verloren: ${why} für ${name}.` : `Du hast verloren: ${why} für ${name}.`),
    won: ({ why, points, name }) => (points > 1 ? `${name} hat ${points} Punkte gewonnen: ${why}.` : `${name} hat gewonnen: ${why}.`),
    youResigned: ({ points, name }) => (points > 1 ? `Du hast aufgegeben: ${name} hat ${points} Punkte gewonnen.` : `Du hast aufgegeben: ${name} hat gewonnen.`),
    youLostBy: ({ how, points, name }) => (points > 1 ? `Du hast ${points} Punkte an ${name} verloren: ${how}.` : `Du hast verloren: ${how}.`),
    draw: (why) => `Unentschieden: ${why}.`,
    agreed: "Remis, wie vereinbart.",
    calledOff: "Die Partie wurde abgebrochen: Niemand hat gewonnen.",
    voided: (why) => `Die Partie ist ungültig: ${why}.`,
    voids: { "not begun in time": "Der erste Zug kam nicht rechtzeitig", "both players left": "Beide sind gegangen", "its player left": "Wer hier spielte, ist gegangen" },
    reasons: { line: "eine volle Reihe", full: "das Brett ist voll", single: "alle Steine zuerst abgetragen" },
    how: {
      resign: ["du hast aufgegeben", (name) => `${name} hat aufgegeben`],
      flag: ["deine Zeit ist abgelaufen", (name) => `die Zeit von ${name} ist abgelaufen`],
      illegal: ["du hast einen verbotenen Zug gespielt", (name) => `${name} hat einen verbotenen Zug gespielt`],
      crash: ["dein Programm ist abgestürzt", (name) => `${name} ist abgestürzt`],
      abandon: ["du warst zu lange weg", (name) => `${name} war zu lange weg`],
      disconnect: ["du warst zu lange weg", (name) => `${name} war zu lange weg`],
    },
    howOther: (how) => `durch ${how}`,
  },

  boards: {
    seats: ["Platz 1", "Platz 2"],
    over: "Die Partie ist vorbei.",
    next: ({ isMe, name }) => (isMe ? "Du bist am Zug." : `${name} ist am Zug.`),
    lastMove: ({ who, action }) => (who.isMe ? `Du hast zuletzt ${action} gespielt.` : `${who.name} hat zuletzt ${action} gespielt.`),
    why: (reason, line) => (reason === "line" ? line : reason === "full" ? "das Brett ist voll" : reason),

    connect_four: {
      board: "Vier gewinnt, sechs Reihen zu sieben",
      line: "vier in einer Reihe",
      say: (column) => `Spalte ${column}`,
      cell: ({ column, row, owner, isLast, lands, plan }) => [
        `Spalte ${column}, Reihe ${row}: ${owner ? by(owner) : "leer"}${isLast ? ", der letzte Zug" : ""}.`,
        lands === null ? "" : `Drücken lässt einen Stein in Reihe ${lands} fallen.`, planText(plan)].filter(Boolean).join(" "),
      read: (columns) => (columns.length === 0 ? "Das Brett ist leer."
        : [`Von unten nach oben: ${columns.map(({ column, whose }) => `Spalte ${column}: ${whose.map(person).join(", ")}`).join("; ")}.`,
          columns.length < 7 ? "Die anderen Spalten sind leer." : ""].filter(Boolean).join(" ")),
    },

    tic_tac_toe: {
      board: "Tic-Tac-Toe, drei Reihen zu drei",
      line: "drei in einer Reihe",
      say: (cell) => `Feld ${cell}, ${NINE[cell - 1]}`,
      cell: ({ cell, owner, isLast, isOpen, plan }) => [
        `Feld ${cell}, ${NINE[cell - 1]}: ${owner ? by(owner) : "leer"}${isLast ? ", der letzte Zug" : ""}.`,
        isOpen ? "Drücken spielt hier." : "", planText(plan)].filter(Boolean).join(" "),
      read: (marks, free) => (free.length === 9 ? "Das Brett ist leer."
        : [...marks.filter(({ cells }) => cells.length).map(({ who, cells }) => `${holds(who)} ${cellList(cells)}.`),
          free.length ? `Frei: ${cellList(free)}.` : "Kein Feld ist frei."].join(" ")),
    },

    ultimate_tic_tac_toe: {
      board: "Ultimatives Tic-Tac-Toe, neun Bretter zu neun Feldern, als neun Reihen zu neun",
      line: "drei Bretter in einer Reihe",
      full: "Alle Felder sind geschlossen, und drei in einer Reihe hat keiner",
      asks: (board) => (board === null ? "Du bist dran: auf jedem hellen Feld." : `Du bist dran: auf dem Feld ${NINE[board - 1]}.`),
      say: (board, cell) => `Brett ${board}, Feld ${cell}`,
      cell: ({ board, cell, owner, winner, isLast, isOpen, sends, plan }) => [
        `Brett ${board}, ${NINE[board - 1]}${winner ? `, gewonnen ${by(winner)}` : ""};`,
        `Feld ${cell}, ${NINE[cell - 1]}: ${owner ? by(owner) : "leer"}${isLast ? ", der letzte Zug" : ""}.`,
        !isOpen ? "" : sends === null ? "Drücken spielt hier; die Antwort kommt auf irgendeinem offenen Brett."
          : `Drücken spielt hier; die Antwort kommt auf Brett ${sends}.`, planText(plan)].filter(Boolean).join(" "),
      read: (boards) => {
        const won = boards.flatMap(({ board, winner }) => (winner ? [`Brett ${board} ${by(winner)}`] : []));
        const open = boards.filter(({ winner, marks }) => !winner && marks.some(({ cells }) => cells.length)).map(({ board, marks }) =>
          `Brett ${board}: ${marks.filter(({ cells }) => cells.length).map(({ who, cells }) => `${person(who)} ${cellList(cells)}`).join(", ")}`);
        if (won.length + open.length === 0) return "Alle Bretter sind leer.";
        return [won.length ? `Gewonnen: ${won.join(", ")}.` : "Noch ist kein Brett gewonnen.", open.length ? `${open.join("; ")}.` : ""].filter(Boolean).join(" ");
      },
      goTo: (board) => (board === null ? "Auf jedem offenen Brett darf gespielt werden." : `Der nächste Zug muss auf Brett ${board} kommen, ${NINE[board - 1]}.`),
    },

    plain: {
      board: "Die Stellung",
      before: "Die Partie hat noch nicht begonnen.",
      read: (position) => `Die Stellung in Zeichen: ${position}.`,
      type: "Dein Zug",
      play: "Spielen",
      more: (count) => `${count} weitere: Tippe einen Teil dessen, was du spielen willst.`,
      unknown: (text) => (text ? `„${text}“ lässt sich jetzt nicht spielen.` : "Tippe einen Zug, oder drücke einen von denen hier unten."),
    },

    rules: {
      open: "Regeln",
      title: (game) => `So spielt man ${game}`,
      unknown: "Die Regeln dieses Spiels stehen nicht auf dieser Seite. Wer dieses Haus betreibt, weiß, wo sie stehen.",

      connect_four: {
        name: "Vier gewinnt",
        parts: [
          { text: "Zwei lassen abwechselnd einen Stein in eine von sieben Spalten fallen. Er bleibt auf den Steinen liegen, die schon dort sind. Eine Spalte mit sechs Steinen ist voll.",
            picture: "7/7/7/7/3o3/2xx3 o", caption: "Ein Stein fällt immer so weit, wie er kann." },
          { text: "Vier eigene Steine in einer Reihe gewinnen: waagrecht, senkrecht oder schräg.",
            picture: "7/7/3x3/2xo3/1xxo3/xoox2o o", caption: "Vier in einer schrägen Reihe: Kreuz hat gewonnen." },
          { text: "Sind alle 42 Plätze ohne eine solche Reihe besetzt, so endet die Partie unentschieden.", picture: null, caption: "" },
        ],
        keys: "Tippe auf eine Spalte, oder drücke ihre Ziffer, 1 bis 7.",
      },

      tic_tac_toe: {
        name: "Tic-Tac-Toe",
        parts: [
          { text: "Zwei setzen abwechselnd ein Zeichen in eines von neun Feldern. Wer anfängt, macht Kreuze, die andere Seite Kreise.", picture: "3/1x1/2o x", caption: "Ein Kreuz in der Mitte, ein Kreis in einer Ecke." },
          { text: "Drei eigene Zeichen in einer Reihe gewinnen: waagrecht, senkrecht oder schräg.", picture: "xo1/ox1/2x o", caption: "Kreuz hat gewonnen." },
          { text: "Sind alle neun Felder ohne eine solche Reihe besetzt, so endet die Partie unentschieden.", picture: "xox/xoo/oxx o", caption: "Niemand hat gewonnen." },
        ],
        keys: "Tippe auf ein Feld, oder drücke seine Ziffer, 1 bis 9, von oben links an.",
      },

      ultimate_tic_tac_toe: {
        name: "Ultimatives Tic-Tac-Toe",
        parts: [
          { text: "Neun kleine Bretter Tic-Tac-Toe bilden ein großes. Wer auf einem kleinen drei in einer Reihe hat, gewinnt es, und wer drei kleine in einer Reihe gewinnt, gewinnt die Partie.",
            picture: "9/9/9/9/9/9/9/9/9 x -", caption: "Neun Bretter zu neun Feldern." },
          { text: "Wo du spielst, bestimmt, wo die Antwort kommen muss: Das Feld, das du nimmst, hat den Platz eines kleinen Bretts. Ein Zeichen im Feld oben rechts, auf welchem Brett auch immer, schickt die andere Seite auf das Brett oben rechts.",
            picture: "9/9/9/5x3/9/9/9/9/9 o 3", caption: "Ein Kreuz im Feld oben rechts auf dem mittleren Brett: Die Antwort muss auf dem Brett oben rechts kommen." },
          { text: "Ein Brett, das gewonnen oder voll ist, ist geschlossen. Wer auf ein geschlossenes geschickt wird, darf auf jedem offenen spielen. Die Bretter, auf denen gespielt werden darf, leuchten.",
            picture: "x8/1x7/2x6/3o5/9/9/6o2/9/9 o -", caption: "Kreuz hat das Brett oben links gewonnen: Es ist geschlossen." },
          { text: "Sind alle Bretter geschlossen und hat niemand drei in einer Reihe, so endet die Partie unentschieden.", picture: null, caption: "" },
        ],
        keys: "Tippe auf ein Feld, oder gib die Ziffer des Bretts und die des Felds ein, je 1 bis 9, von oben links an.",
      },

      backgammon: {
        name: "Backgammon",
        parts: [
          { text: "Zwei führen je fünfzehn Steine in entgegengesetzter Richtung über 24 Felder in das eigene Heimfeld, die Felder 6 bis 1, und tragen sie ab. Wer zuerst alle abgetragen hat, gewinnt.",
            picture: "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10", caption: "So fängt es an." },
          { text: "Beide werfen einen Würfel; wer höher wirft, beginnt und spielt beide Zahlen. Danach hat jeder Zug zwei Würfel. Ein Würfel bewegt einen Stein um so viele Felder nach vorn; ein Stein darf auch beide nutzen, einen nach dem anderen. Ein Pasch wird viermal gespielt.",
            picture: null, caption: "" },
          { text: "Du darfst auf einem Feld landen, das leer ist, dir gehört oder auf dem ein einzelner gegnerischer Stein steht. Zwei und mehr gegnerische Steine sperren ein Feld.", picture: null, caption: "" },
          { text: "Ein einzelner Stein, auf dem jemand landet, ist geschlagen: Er kommt auf die Bar und muss im gegnerischen Heimfeld wieder ins Spiel, auf dem Feld eines der Würfel, bevor sonst ein Stein dieser Seite zieht.",
            picture: "XGID=aa----EAC---eD---c-e----B-:0:0:-1:31:0:0:0:0:10", caption: "Ein Stein ist geschlagen und wartet auf der Bar." },
          { text: "Kannst du beide Würfel spielen, so musst du es. Kannst du nur einen von beiden spielen, gleich welchen, so muss es der größere sein. Lässt sich nichts spielen, geht der Zug von selbst weiter.", picture: null, caption: "" },
          { text: "Sind alle deine Steine im Heimfeld, darfst du sie abtragen: Ein Würfel nimmt einen Stein von seinem Feld, oder vom höchsten, das du hältst, wenn das niedriger ist.",
            picture: "XGID=-CBDBBB------------bbcccb-:0:0:1:42:0:0:0:0:10", caption: "Alle Steine sind zu Hause: Das Abtragen kann beginnen." },
          { text: "Ein Sieg zählt einen Punkt. Er ist ein Gammon und zählt zwei, wenn die andere Seite noch nichts abgetragen hat; ein Backgammon, drei, wenn sie dazu noch einen Stein auf der Bar oder im Heimfeld der Siegerseite hat. Einen Dopplerwürfel gibt es nicht.",
            picture: null, caption: "" },
        ],
        keys: "Tippe auf einen Stein, dann dorthin, wo er hin soll; doppelt getippt zieht er mit dem ersten Würfel, und ein Tipp auf die Würfel vertauscht sie. Oder zieh ihn, oder gib etwas wie 13/9 8/7 ein. „Fertig“ beendet den Zug.",
      },

      backgammon_cube: {
        name: "Backgammon mit Dopplerwürfel",
        parts: [
          { text: "Gespielt wird wie im Backgammon. Daneben liegt ein Dopplerwürfel, der 1 zeigt; mit dem, was er zeigt, wird malgenommen, was das Spiel zählt.",
            picture: "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10", caption: "So fängt es an." },
          { text: "Vor deinem Wurf darfst du doppeln. Die andere Seite nimmt an und besitzt dann den Würfel mit dem doppelten Wert, oder sie gibt auf und verliert, was er vorher zeigte. In der Mitte ist er für beide da, danach nur für seinen Besitzer.", picture: null, caption: "" },
          { text: "Ein Match auf Punkte geht Spiel um Spiel weiter, bis eine Seite so viele hat. Fehlt einer Seite zum ersten Mal ein Punkt, so doppelt im nächsten Spiel, dem Crawford-Spiel, niemand.", picture: null, caption: "" },
          { text: "In einzelnen Spielen gibt es zwei Regeln zur Wahl. Jacoby: Ein Gammon zählt einfach, bis jemand ein Doppel angenommen hat. Beaver: Wer gedoppelt wird, darf sofort zurückdoppeln und behält den Würfel.", picture: null, caption: "" },
        ],
        keys: "Drück Würfeln oder Doppeln, Annehmen oder Ablehnen, oder die Tasten R, D, T und P; Steine ziehen wie im Backgammon.",
      },
    },

    cube: {
      actions: { roll: "Würfeln", double: "Doppeln", take: "Annehmen", drop: "Ablehnen", beaver: "Beaver", raccoon: "Raccoon" },
      dropped: "ein abgelehntes Doppel",
      crawford: "Crawford-Spiel: Niemand doppelt",
      crawfordSign: "Crawford",
      you: "dich",
      cube: ({ value, isCentred, owner }) => `Der Dopplerwürfel zeigt ${value}${isCentred ? " und liegt in der Mitte" : owner === null ? " und gehört dir" : ` und gehört ${owner}`}`,
      score: ({ one, two, score, points }) => `Ein Match auf ${points} ${points === 1 ? "Punkt" : "Punkte"}: ${score[0]} für ${one}, ${score[1]} für ${two}`,
      offered: ({ verb, owner, value }) => {
        const what = verb === "D" ? "doppel" : verb === "B" ? "beaver" : "raccoon";
        return `${owner === null ? `Du ${what}st` : `${owner} ${what}t`} auf ${value}`;
      },
      heir: (owner) => (owner === null ? "Nimmst du an, gehört der Würfel dir." : `Nimmst du an, gehört der Würfel ${owner}.`),
      waits: (name) => (name === "" ? "" : `${name} nimmt an oder lehnt ab.`),
      to: (value) => `auf ${value}`,
      playFor: (value) => `um ${value} spielen`,
      lose: (points) => (points === 1 ? "1 Punkt verlieren" : `${points} Punkte verlieren`),
      loseMatch: "Match verlieren",
      rollOrDouble: "Du bist am Zug: würfle oder doppel.",
      question: ({ offer }) => `${offer}: annehmen oder ablehnen?`,
      told: (verb, name) => {
        const [you, they] = { roll: ["würfelst", "würfelt"], double: ["doppelst", "doppelt"], take: ["nimmst an", "nimmt an"], drop: ["lehnst ab", "lehnt ab"],
          beaver: ["beaverst", "beavert"], raccoon: ["raccoonst", "raccoont"] }[verb];
        return name === null ? `Du ${you}.` : `${name} ${they}.`;
      },
    },

    backgammon: {
      board: "Backgammonbrett",
      light: "Hell",
      dark: "Dunkel",
      opponent: "Gegenseite",
      theBar: "Bar",
      off: "ab",
      point: ({ point, count, owner }) => `Feld ${point}: ${count === 0 ? "leer" : `${numeral(count)} ${of(owner)}`}`,
      bar: ({ count, owner }) => `Bar: ${numeral(count)} ${of(owner)}`,
      tray: ({ count, owner, pips }) => `Abgetragen: ${numeral(count)} ${of(owner)}; noch ${pips} Pips`,
      dice: ({ owner, dice, left }) => {
        const whose = owner === null ? "deine Würfel" : `Würfel von ${owner}`;
        if (dice.length === 0) return `${whose}: nicht geworfen`;
        return `${whose}: ${list(dice, "conjunction")}${left.length ? `; zu spielen: ${left.join(", dann ")}` : ""}`;
      },
      swappable: ({ what, die }) => `${what}. Drücken spielt die ${die} zuerst; ebenso die Taste X`,
      movable: ({ what, targets }) => `${what}. Drücken nimmt einen auf; er kann nach ${list(targets, "disjunction")}`,
      held: ({ what, targets }) => `${what}, einer aufgenommen; er kann nach ${list(targets, "disjunction")}. Drücken legt ihn hier wieder ab`,
      target: ({ what, from, isHit }) => `${what}. Drücken zieht von ${from} hierher${isHit ? " und schlägt" : ""}`,
      done: "Fertig",
      forced: "Spielen",
      undo: "Zurück",
      all: "Alle",
      undoAll: "Alles zurück",
      noMove: "Kein Zug",
      leftToPlay: ({ left }) => (left.length ? `Zu spielen: ${left.join(", dann ")}.` : "Der Zug ist vollständig."),
      stepped: ({ move, left }) => `${move}. ${left.length ? `Zu spielen: ${left.join(", dann ")}.` : "Der Zug ist vollständig."}`,
      move: ({ points, hits, times }) => {
        const way = points.map((point, index) => {
          const to = index === 0 ? point : point === "ab" ? "ab" : `nach ${point}`;
          return hits[index] ? `${to} und schlägt${index < points.length - 1 ? "," : ""}` : to;
        });
        return way.join(" ") + ["", "", " zweimal", " dreimal", " viermal"][times];
      },
      moves: (moves) => moves.join(", "),
      roll: ({ dice }) => list(dice, "conjunction"),
      pass: "nichts: kein Zug war möglich",
      reasons: { single: "alle Steine abgetragen", gammon: "ein Gammon", backgammon: "ein Backgammon" },
      colours: ({ me, other, isDark }) => {
        const [mine, theirs] = isDark ? ["dunklen", "hellen"] : ["hellen", "dunklen"];
        if (me === null) return `Du spielst die ${mine} Steine, ${other} die ${theirs}; die Felder sind von dir aus gezählt.`;
        return `${me} spielt die ${mine} Steine, ${other} die ${theirs}; die Felder sind von ${me} aus gezählt.`;
      },
      toPlay: ({ owner, dice }) => {
        const whose = owner === null ? "Du bist am Zug" : `${owner} ist am Zug`;
        return dice.length ? `${whose}, mit ${list(dice, "conjunction")}.` : `${whose}.`;
      },
      passed: ({ owner, dice }) => {
        const rolled = dice.length ? ` mit ${list(dice, "conjunction")}` : "";
        return owner === null ? `Du konntest${rolled} nicht ziehen.` : `${owner} konnte${rolled} nicht ziehen.`;
      },
      side: ({ owner, points, bar, off, pips }) => {
        const on = points.map((each) => `${numeral(each.count)} auf ${each.point}`);
        if (bar > 0) on.push(`${numeral(bar)} auf der Bar`);
        const where = on.length ? list(on, "conjunction") : "keiner auf dem Brett";
        return `Steine ${of(owner)}: ${where}; ${numeral(off)} abgetragen, noch ${pips} Pips.`;
      },
    },
  },

  past: {
    match: (match) => `Partie ${match}`,
    last: "Zum Ende",
    study: "Züge probieren",
    again: "Dieses Spiel spielen",
    unreachable: "Plyhouse antwortet gerade nicht. Lade die Seite neu, um es noch einmal zu versuchen.",
    files: { txt: "Als Text", json: "Als Aufzeichnung (JSON)", sgf: "Als SGF", mat: "Als Match-Text (.mat)" },
    dice: "Die Würfel",
    allFollow: (rolls) => (rolls === 1 ? "Der eine Wurf folgt" : `Alle ${rolls} Würfe folgen`)
      + " aus dem Geheimnis, das vor der Partie zugesagt wurde, und aus dem, was beide Seiten beigetragen haben. Diese Seite hat das selbst nachgerechnet.",
    wrongRoll: ({ ply, fell, follows }) => `Die Würfel stimmen nicht: Bei Zug ${ply} fiel ${fell}, aus dem Geheimnis folgt aber ${follows}.`,
    notPromised: "Die Würfel stimmen nicht: Das Geheimnis ist nicht das, das vor der Partie zugesagt wurde.",
    unknownDice: "Das Geheimnis ist das zugesagte. Was in diesem Spiel fallen kann, weiß diese Seite nicht: „plyhouse verify“ prüft jeden Wurf.",
    promised: "Vor der Partie zugesagt (SHA-256 des Geheimnisses)",
    secret: "Geheimnis, danach gezeigt",
    saltOf: (name) => `Beitrag von ${name}`,
    noSalt: "nichts",

    story: (points) => `Das Match auf ${points} ${points === 1 ? "Punkt" : "Punkte"}`,
    storyGame: (game) => `Spiel ${game}`,
    storyNoCube: "niemand hat gedoppelt",
    storyColumns: { game: "Spiel", end: "Ende", cube: "Dopplerwürfel", score: "Stand" },
    here: "gerade hier",
    away: "gerade nicht hier",
    since: (day) => `spielt hier seit ${day}`,
    noMatches: "Noch ist keine Partie zu Ende.",
    streak: (streak) => {
      if (streak > 1) return `${streak} Siege in Folge`;
      return streak < -1 ? `${-streak} Niederlagen in Folge` : "";
    },
    byGame: "Spiele",
    byOpponent: "Gegner",
    columns: { name: "Name", won: "Gewonnen", drawn: "Remis", lost: "Verloren" },
    newest: (matches) => `Gezählt sind die neuesten ${matches.toLocaleString("de")} Partien.`,
    ratings: "Bewertung",
    ratingsAbout: "In Elo, vom Mittel aller aus gerechnet, die in diesem Haus durch gewertete Partien verbunden sind.",
    elo: (elo) => `${elo} Elo`,
    between: ({ low, high }) => `zwischen ${low} und ${high} in 95 von 100 Fällen`,
    ofField: ({ matches, field }) => `aus ${matches === 1 ? "1 Partie" : `${matches} Partien`}, unter ${field} Menschen`,
    ratedAfter: ({ least, matches }) => `bewertet nach ${least} Partien; bisher ${matches}`,
    doubtful: "Einige dieser Partien wurden auf eine Weise aufgegeben, die zu keiner Bewertung passt.",
    curve: ({ game, from, to }) => `Die Bewertung in ${game}, von ${from} bis ${to}`,
    former: "früherer Name",
    formerWhy: "Wer damals spielte, hat diesen Namen nicht mehr.",
    nobodys: "diesen Namen hat jetzt niemand",
    opening: "Die Rangliste gibt diese Eröffnung vor.",
    took: (seconds) => `${seconds} s`,
    lastMatches: "Letzte Partien",
    earlier: "Frühere Partien",
    versus: ({ one, two }) => `${one} – ${two}`,
  },

  analysis: {
    title: "Analyse",
    working: (seconds) => `Ein Bot geht die Partie durch … ${seconds} s`,
    waiting: (seconds) => `Der Bot macht sich erst bereit: noch etwa ${seconds} s.`,
    row: ({ row, of: all }) => `Zug ${row} von ${all}`,
    course: (name) => `Die Chancen von ${name}, Zug für Zug: ein Druck führt dorthin.`,
    worst: "Die schlimmsten Momente",
    tryAgain: "Noch einmal versuchen",
    plays: "Züge",
    bestActions: "Die besten Züge",
    mistake: "Nächster Fehler",
    toEnd: "Zurück zum Ende",
    back: "Zurück",
    next: "Weiter",
    choose: "Wähle einen Zug, oder geh von einem zum nächsten.",
    theRoll: (luck) => `Der Wurf: ${luck}.`,
    played: (action) => `${action} (gespielt)`,
    dice: "Die Würfel",
    you: "Du",
    seat: (seat) => `Platz ${seat}`,
    forced: "erzwungen",
    notExamined: "nicht geprüft",
    notProven: "nicht erwiesen",
    best: "bester",
    luck: (text) => `Glück ${text}`,
    units: {
      points: "Verluste und Glück stehen in Punkten, ohne Dopplerwürfel.",
      chance: "Verluste und Glück stehen als Chance, das Match zu gewinnen.",
      score: "Verluste stehen in Steinen, um die eine Partie später gewonnen oder früher verloren wird; ein Patzer ändert, wer gewinnt.",
      value: "Verluste stehen als Wert, von \u22121 für verloren bis 1 für gewonnen.",
    },
    unitWithCube: "Verluste und Glück stehen in Punkten, mit dem, was der Dopplerwürfel zeigt.",
    aboutRating: "Das Performance Rating (PR) ist das 500fache dessen, was eine Entscheidung, die zählt, im Mittel verlor, in Punkten mit dem Würfel als 1: 0 ist vollkommen.",
    cubeShows: (value) => `Würfel ${value}`,
    theCubeShows: (value) => `Der Dopplerwürfel zeigt ${value}.`,
    mistakes: {
      missed_double: "Doppel verpasst", early_double: "zu früh gedoppelt", too_good: "zu gut zum Doppeln", wrong_take: "falsch angenommen",
      wrong_drop: "falsch aufgegeben", wrong_beaver: "falscher Beaver", missed_beaver: "Beaver verpasst",
    },
    resigning: {
      resign: (points) => `Aufgeben mit ${points}`,
      accept: (points) => `${points} annehmen`,
      refuse: (points) => `${points} ablehnen`,
    },
    playOn: "Weiterspielen",
    verdicts: {
      forced: "Es gab keinen anderen Zug.",
      notExamined: "Dieser Zug wurde nicht geprüft.",
      best: "Das Beste, was es gab.",
      blunderUnproven: "Ein Patzer: Wie viel er verlor, ist nicht erwiesen.",
      unproven: "Was er verlor, ist nicht erwiesen.",
      blunder: (loss) => `Ein Patzer: Er verlor ${loss}.`,
      doubtful: (loss) => `Zweifelhaft: Er verlor ${loss}.`,
      other: (loss) => `Er verlor ${loss}.`,
      ofCube: ({ mistake, loss }) => `${mistake.charAt(0).toUpperCase()}${mistake.slice(1)}: Das verlor ${loss}.`,
    },
    by: ({ bot, by: how }) => `Von ${bot}: ${how}.`,
    left: (count) => (count === 1 ? "1 Zug wurde nicht geprüft." : `${count} Züge wurden nicht geprüft.`),
    partial: "Sie ist zu lang, um ganz gezeigt zu werden.",
    unheard: "Stellungen aus der Zeit, bevor diese Seite geladen wurde, sind gerade nicht zu haben.",
    totals: {
      plays: "Züge", forced: "Erzwungene Züge", unknown: "Nicht erwiesen", loss: "Verlust je Zug", blunders: "Patzer ??",
      doubtful: "Zweifelhaft ?", luck: "Glück", lost: "Verlust", byPlays: "– durch Züge", byCube: "– am Würfel", byResigning: "– durch Aufgeben", rating: "Rating (PR)",
    },
    series: {
      ask: "Alle Spiele analysieren",
      working: ({ done, of: all, seconds }) => `Ein Bot geht Spiel ${done + 1} von ${all} durch … ${seconds} s`,
      waiting: (seconds) => `Der Bot macht sich erst bereit: noch etwa ${seconds} s.`,
      title: "Alle Spiele zusammen",
      caption: "Was jedes Spiel verlor, und sein Performance Rating",
      worst: "Was am meisten kostete",
      mistake: ({ game, name, what, loss }) => `Spiel ${game}, ${name}: ${what}, ${loss}`,
      play: ({ play, best }) => (best ? `${play} statt ${best}` : play),
      without: ({ game, why }) => `Spiel ${game} fehlt darin: ${why}`,
    },
  },

  settings: {
    title: "Einstellungen",
    language: "Sprache",
    languageAuto: "Wie der Browser",
    colours: "Farben",
    coloursAuto: "Wie das System",
    light: "Hell",
    dark: "Dunkel",
    board: "Brett",
    calm: "Ruhig",
    classic: "Klassisch",
    sound: "Töne",
    notify: "Melden, wenn ich am Zug bin und diese Seite nicht zu sehen ist",
    notifyInsecure: "Der Browser erlaubt das nur über https oder auf diesem Rechner; der Titel des Tabs sagt es trotzdem.",
    notifyBlocked: "Der Browser verbietet es. Erlaube dieser Seite Mitteilungen, und schalte es noch einmal ein.",
    coordinates: "Koordinaten",
    coordinatesUsual: "Backgammon",
    coordinatesAll: "Auf jedem Brett",
    coordinatesNone: "Auf keinem Brett",
    flip: "Das Brett von der anderen Seite sehen",
    confirm: "Vor jedem Zug nachfragen",
    plan: "Einen Zug vorausplanen",
    planClock: "Mit Uhr",
    planAlways: "Immer",
    planNever: "Nie",
    motion: "Bewegung",
    thoughts: "Zeigen, was der Bot denkt, während ich gegen ihn spiele",
    chat: "Chat",
    kept: "Was du wählst, geht mit deinem Namen auf alle seine Geräte.",
  },

  missing: {
    title: "Diese Seite gibt es nicht",
    what: "Vielleicht ist die Adresse vertippt, oder was hier stand, wird nicht mehr aufbewahrt.",
    home: "Zur Lobby",
  },

  offline: {
    title: "Plyhouse antwortet nicht",
    noServer: ({ host }) =>
      `Unter ${host} antwortet niemand. Vielleicht wurde der Server angehalten, oder dieses Gerät ist in einem anderen Netz als zuvor.`,
    noNetwork: "Dieses Gerät ist mit keinem Netz verbunden.",
    kept: "Alles, was gespielt wurde, ist aufbewahrt.",
    waiting: ({ seconds }) => `Neuer Versuch alle ${seconds} Sekunden.`,
    trying: "Neuer Versuch …",
    again: "Jetzt versuchen",
  },

  connection: {
    lost: "Die Verbindung ging verloren. Sieh nach, ob es geschehen ist, und versuch es noch einmal.",
    none: "Gerade gibt es keine Verbindung. Versuch es noch einmal, wenn sie wieder da ist.",
    partMissing: "Ein Teil dieser Seite konnte nicht geladen werden. Bitte lade diese Seite neu.",
    refusals: {
      "session/bad-name": "Ein Name hat 1 bis 24 sichtbare Zeichen, davon ein Buchstabe oder eine Ziffer, aber kein „/“, kein „@“ und kein Emoji aus mehreren.",
      "session/name-taken": "Dieser Name gehört hier schon jemand anderem.",
      "session/bad-link": "Dieser Code gilt nicht oder nicht mehr.",
      "session/moved": "Dieses Gerät wurde von deinem Namen getrennt.",
      "session/released": "Wer dieses Haus betreibt, hat diesen Namen freigegeben.",
      "session/flood": "Von hier kamen zu viele Anfragen auf einmal.",
      "session/too-many": "Mit diesem Namen bist du schon zu oft verbunden.",
      "lobby/no-room": "Diesen Raum gibt es nicht.",
      "lobby/too-many-rooms": "Du sitzt schon an zu vielen Tischen; verlass zuerst einen.",
      "room/busy": "Hier warten zu viele Anfragen; versuch es gleich noch einmal.",
      "room/closed": "Dieser Raum ist geschlossen.",
      "room/full": "Hier kannst du dich nicht setzen, nur zuschauen.",
      "room/no-match": "An diesem Tisch gab es noch keine Partie.",
      "room/seat-taken": "Dieser Platz ist schon besetzt.",
      "room/seat-empty": "Auf diesem Platz sitzt niemand.",
      "room/wrong-code": "Dieser Code passt nicht.",
      "match/over": "Diese Partie ist vorbei.",
      "match/not-your-turn": "Du bist nicht am Zug.",
      "match/illegal-action": "Das ist hier kein erlaubter Zug.",
      "match/stale-turn": "Die Partie ist inzwischen weiter.",
      "match/no-offer": "Dieses Angebot steht nicht mehr.",
      "match/too-late-to-abort": "Dafür ist schon zu viel gezogen: Gib auf.",
      "chat/muted": "Du darfst hier gerade nichts schreiben.",
      "analysis/busy": "Für dich läuft schon eine Analyse.",
      "hint/busy": "Die Bots denken schon über Tipps nach; frag gleich noch einmal.",
      "server/closing": "Der Server wird gerade angehalten.",
      "server/draining": "Der Server wird bald angehalten; Neues beginnt nicht mehr.",
      "room/moving": "Dieser Raum zieht gerade auf einen anderen Server um; versuch es gleich noch einmal.",
      "server/moving": "Das ist gerade auf dem Weg zu einem anderen Server; versuch es gleich noch einmal.",
      "server/unanswered": "Der Server, der antworten sollte, ist weg. Ob es geschehen ist, siehst du gleich.",
      "server/not-stored": "Der Server kommt gerade nicht an seinen Speicher.",
    },
    trying: (why) => `Verbindung verloren. Neuer Versuch …${why}`,
    back: "Wieder verbunden.",
    backAfter: ({ ms, isServers }) => (isServers
      ? `Wieder verbunden. Der Server war ${duration(ms)} weg; solange lief keine Uhr.`
      : `Wieder verbunden. Deine Leitung war ${duration(ms)} unterbrochen; Uhren liefen weiter.`),
    withdrawn: "Der Zug ist zurückgenommen.",
    over: (why) => `Getrennt.${why}`,
    tryNow: "Jetzt versuchen",
    connectHere: "Hier verbinden",
    dismiss: "Ausblenden",
    deviceNews: ({ news, device = "eines, das nichts über sich sagt" }) => ({
      linked: `Dein Name ist auf einem Gerät mehr: ${device}. Nicht deines? Trenne es unter „Deine Geräte“.`,
      cut: `Ein Gerät wurde von deinem Namen getrennt: ${device}.`,
      recovery: "Dein Name hat einen neuen Wiederherstellungscode; der alte gilt nicht mehr.",
    }[news]),
    declined: ({ name, why = "no", text }) =>
      [`${name} ${{ no: "möchte jetzt nicht spielen", busy: "hat gerade keine Zeit", game: "spielt dieses Spiel nicht", terms: "spielt nicht unter diesen Bedingungen" }[why]}.`,
        text].filter(Boolean).join(" "),
    invitation: ({ by: name, terms }) => `${name} lädt dich ein: ${terms}.`,
    accept: "Annehmen",
    decline: "Ablehnen",
    terms: ({ game, clock, rated }) => `${game} (${rated ? `${clock}, gewertet` : clock})`,
  },
};

/** The levels of a bot, from 1. */
const LEVELS = ["Neuling", "Gelegenheitsspieler", "solide", "Vereinsspieler", "stark", "Experte", "Meister", "jenseits davon"];

export default german;
