// The page on which people judge pairs: shows what the server sends, and sends what the person answers.
//
// The server holds everything: its state has the question, the pair to judge, the progress. An answer is sent until it is
// acknowledged, always under the key of its pair, so that it counts once. Texts of items are only ever set as text.

const GUARD = 250; // ms after a new pair in which no answer is taken: a double press must not answer the next pair
const SLOW = 400; // ms after which an answer on its way is mentioned
const PATIENCE = 15_000; // ms after which a silent server is asked again
const BEAT = 10_000; // ms between signs of life
const POLL = 1_000; // ms between questions for a pair while there is none
const BREATH = [60, 120, 240, 480]; // ms before the first of these questions: mostly the next pair comes at once
const STALE = 20_000; // ms out of sight after which the pair may have gone to someone else
const WAITS = [500, 1000, 2000, 4000]; // ms before an answer is sent again; the last one from then on
const SHORT = 120; // characters up to which a text is set large
const SPOKEN = 400; // characters of a text that are read out; the whole is in the card
const LISTED = 240; // characters of a text in the order
const BULLET = /^\s*(?:[-*+]|\d+[.)]) /; // the beginning of a line of a list, in Markdown
const OPENS = /^(?:#{1,6} |```|\s*(?:[-*+]|\d+[.)]) )/; // and of a line that is no part of a paragraph
const SWIPE = 64; // pixels that make a swipe
const TAP = 400; // ms that a tap may last; and after scrolling, no tap is taken
const STIR = 10; // pixels from which a touch is no tap
const KEPT = "ordain-unsaved"; // where an answer that is not acknowledged outlives a reload

const UNSAVED = "Not saved yet, trying again …";
const LEADS = "It may lead you. Judge each pair for itself.";
const UNKNOWN = "Nothing is answered yet: the items stand as they came.";
const ALONE = "you"; // the name of a person who judges alone
const WRITTEN = "The order is written from the answers so far.";
const WRITTEN_LATER = "The order is written when the others have finished or stopped, too.";
const LOST = "No connection to the server, trying again …";
const ENDED = "The server has ended. The same command takes the judging up again.";

const VIEWS = ["loading", "pair", "waiting", "done", "stopped", "refused"];
const at = (id) => document.getElementById(id);
const narrow = matchMedia("(max-width: 40rem)");

let state = null; // as the server sent it last
let view = "loading";
let busy = false; // a request that changes something is on its way
let unsaved = false; // an answer is not acknowledged yet
let turn = 0; // counts what the person did, so that a late poll does not undo it
let steps = 0; // how many answers back the shown pair is

/* ---- asking the server ---- */

/** What the server will not do, in its own words; trying again would not help. */
class Refused extends Error {}

/** What the server cannot do now, in its own words. */
class Passing extends Error {}

/** One request; throws Refused, or another error when it may work later. */
async function reply(path, body) {
  const options = { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) };
  if (body !== undefined) {
    Object.assign(options, { method: "POST", body: JSON.stringify(body), keepalive: true });
    options.headers = { "Content-Type": "application/json" };
  }
  const response = await fetch(path, options);
  if (response.status === 204) return null;
  const content = await response.json();
  if (response.ok) return content;
  const passing = response.status >= 500 || response.status === 429 || response.status === 408;
  throw new (passing ? Passing : Refused)(content.error ?? response.statusText);
}

/** The reply, however often it takes; meanwhile the page says what is the matter. */
async function insisted(path, body, worry) {
  for (let tries = 0; ; tries += 1) {
    try {
      const content = await reply(path, body);
      trouble(null);
      return content;
    } catch (failure) {
      if (failure instanceof Refused) throw failure;
      trouble(failure instanceof Passing ? `${worry} ${failure.message}` : worry);
      await pause(WAITS[Math.min(tries, WAITS.length - 1)]);
    }
  }
}

/** Wait so long, or until the network is back. */
function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    addEventListener("online", resolve, { once: true });
  });
}

/** Do one thing after another: ask, show the state that comes back, and say a refusal. Whether it was done. */
async function act(path, body, worry = LOST) {
  if (busy) return false;
  busy = true;
  turn += 1;
  try {
    const next = await insisted(path, body, worry);
    saved();
    show(await soon(next));
    return true;
  } catch (refusal) {
    saved();
    await recover(refusal);
    return false;
  } finally {
    busy = false;
  }
}

/** The state with a next pair, if that comes within a breath. */
async function soon(next) {
  for (const wait of BREATH) {
    if (viewOf(next) !== "waiting") break;
    await pause(wait);
    next = await insisted("/api/state", undefined, LOST);
  }
  return next;
}

/** After a refusal: the state as it is now with the reason, or only the reason. */
async function recover(refusal) {
  if (!(refusal instanceof Refused)) throw refusal;
  try {
    mark(null);
    show(await insisted("/api/state", undefined, LOST), { again: true });
    trouble(refusal.message);
  } catch (second) {
    if (!(second instanceof Refused)) throw second;
    at("refused-text").textContent = second.message;
    turnTo("refused");
    say(`This page cannot go on. ${second.message}`);
  }
}

/* ---- what the person does ---- */

/** Answer the pair that is shown, unless it has only just appeared. */
async function vote(answer) {
  if (view !== "pair" || busy || clock.since() < GUARD) return;
  const body = { key: state.pair.key, answer, seconds: Math.round(clock.read()) / 1000 };
  mark(answer, answer === "tie" ? "Tie" : "Better");
  unsaved = true;
  sessionStorage.setItem(KEPT, JSON.stringify(body));
  const slow = setTimeout(() => unsaved && trouble(at("trouble").textContent || "Saving …"), SLOW);
  await act("/api/vote", body, UNSAVED);
  clearTimeout(slow);
}

/** The answer on its way was acknowledged, or refused for good. */
function saved() {
  unsaved = false;
  sessionStorage.removeItem(KEPT);
}

async function skip() {
  if (view !== "pair" || isEarlier()) return say("There is no pair to skip.");
  const { key } = state.pair;
  if ((await act("/api/skip", { key })) && state.pair?.key === key) say("There is no other pair at the moment.");
}

/** Show the answered pair before the one that is shown. */
async function back() {
  if (!canGoBack()) return say("There is no earlier answer.");
  const shown = state.pair?.key;
  const from = isEarlier() ? shown : null;
  const wanted = steps + 1;
  if (!(await act("/api/back", { from }, view === "done" ? ENDED : LOST))) return;
  if (state.pair === null || state.pair.key === shown) return say("There is no earlier answer.");
  steps = wanted;
  showEarlier();
}

const toNow = () => isEarlier() && act("/api/state");
const isEarlier = () => view === "pair" && state.pair.given !== null;
const canGoBack = () => state !== null && state.can_go_back && view !== "stopped" && view !== "refused";

async function stop() {
  at("stop").close();
  if (busy) return say("Your last answer is being saved. Stop again after that.");
  await act("/api/stop", {});
}

/* ---- showing the state ---- */

/** Bring the page to a state; a pair that is shown already is left as it is. */
function show(next, { again = false } = {}) {
  const before = view === "pair" ? state.pair : null;
  state = next;
  trouble(null);
  showAround();
  turnTo(viewOf(next));
  const news = again || before?.key !== next.pair?.key || before?.given !== next.pair?.given;
  if (view === "pair" && news) present(next.pair);
  showEarlier();
}

/** Which view shows a state. */
function viewOf({ phase, pair }) {
  if (pair && phase !== "stopped") return "pair";
  return phase === "judging" ? "waiting" : phase;
}

/** What stands around the pair: question, name, progress, notice, order. */
function showAround() {
  at("question").textContent = state.question;
  at("person").textContent = state.person;
  at("judging-as").hidden = !state.person || state.person === ALONE;
  const alone = state.person === ALONE;
  for (const id of ["stopped-result", "stop-result"]) at(id).textContent = alone ? WRITTEN : WRITTEN_LATER;
  showProgress(state.progress);
  showNotice(viewOf(state) === "pair" ? state.notice : null);
  if (!at("order").hidden) listOrder();
}

/** Show one of the views; focus follows only where it would be lost. */
function turnTo(wanted) {
  const changed = wanted !== view;
  const lost = document.activeElement === document.body || at(view).contains(document.activeElement);
  view = wanted;
  for (const name of VIEWS) at(name).hidden = name !== view;
  const over = view === "done" || view === "stopped" || view === "refused";
  at("foot").hidden = view === "loading" || view === "refused";
  at("stop-button").hidden = over || view === "loading";
  at("skip").hidden = view !== "pair";
  at("undo").hidden = view === "stopped";
  at("undo-text").textContent = view === "pair" ? "Undo" : "Undo the last answer";
  at("undo").setAttribute("aria-disabled", String(!canGoBack()));
  if (!changed || view === "loading") return;
  if (lost) (view === "pair" ? at("main") : at(`${view}-title`)).focus({ preventScroll: true });
  if (view !== "pair") say(`${at(view).innerText}`);
}

/** Put a new pair into the cards, begin its clock, and read it out. */
function present(pair) {
  if (at("cards").contains(document.activeElement)) at("main").focus({ preventScroll: true });
  for (const side of ["left", "right"]) fill(at(side), pair[side], side);
  markGiven();
  if (pair.given === null) steps = 0;
  restartAnimation();
  measure();
  clock.restart();
  const which = pair.given === null ? "New pair." : `An earlier pair. You said: ${inWords(pair.given)}.`;
  say(`${which} ${sideName("left")}: ${spoken(pair.left)}. ${sideName("right")}: ${spoken(pair.right)}.`);
}

/** Fill a card with an item. */
function fill(card, item, side) {
  const body = card.querySelector(".body");
  body.replaceChildren(item.image ? pictureOf(item, side) : item.fields ? fieldsOf(item) : setOf(item));
  body.scrollTop = 0;
  card.querySelector(".zoom-button").hidden = !item.image;
}

function setOf(item) {
  return item.kind === "markdown" && item.text.trim() ? markdownOf(item.text) : textOf(item.text, item.kind);
}

/** The few forms of Markdown that tell how a text is built; every word of it is put in as text. */
function markdownOf(text) {
  const root = document.createElement("div");
  root.dir = "auto";
  root.classList.add("text", "prose", "markdown");
  const lines = text.split("\n");
  while (lines.length) {
    if (lines[0].trim() === "") lines.shift();
    else if (lines[0].startsWith("```")) root.append(codeOf(lines));
    else if (/^#{1,6} /.test(lines[0])) root.append(inlineOf("h3", lines.shift().replace(/^#+ /, "")));
    else if (BULLET.test(lines[0])) root.append(listOf(lines));
    else root.append(inlineOf("p", taken(lines, (line) => line.trim() && !OPENS.test(line)).join("\n")));
  }
  return root;
}

/** The first lines, and those after it for which it holds; they are no longer in the list. */
function taken(lines, holds) {
  const found = [lines.shift()];
  while (lines.length && holds(lines[0])) found.push(lines.shift());
  return found;
}

function codeOf(lines) {
  lines.shift();
  const block = document.createElement("pre");
  block.textContent = lines.length && !lines[0].startsWith("```") ? taken(lines, (line) => !line.startsWith("```")).join("\n") : "";
  lines.shift();
  return block;
}

function listOf(lines) {
  const list = document.createElement(/^\s*\d/.test(lines[0]) ? "ol" : "ul");
  for (const line of taken(lines, (line) => BULLET.test(line))) list.append(inlineOf("li", line.replace(BULLET, "")));
  return list;
}

/** A line with bold, italic and code in it. */
function inlineOf(tag, text) {
  const element = document.createElement(tag);
  for (const part of text.split(/(\*\*[^*\n]+\*\*|\*[^*\s][^*\n]*\*|`[^`\n]+`)/)) {
    const mark = /^\*\*.+\*\*$/.test(part) ? "strong" : /^\*.+\*$/.test(part) ? "em" : /^`.+`$/.test(part) ? "code" : null;
    if (mark === null) element.append(part);
    else {
      const inner = document.createElement(mark);
      inner.textContent = mark === "strong" ? part.slice(2, -2) : part.slice(1, -1);
      element.append(inner);
    }
  }
  return element;
}

/** A text as an element: only ever text, in its own direction. */
function textOf(text, kind = "text", tag = "div") {
  const element = document.createElement(tag);
  element.dir = "auto";
  element.textContent = text.trim() === "" ? "(empty)" : text;
  element.classList.add("text", kind === "code" ? "code" : "prose");
  if (text.trim() === "") element.classList.add("empty");
  if (kind !== "code" && tag === "div" && text.length <= SHORT && !text.includes("\n")) element.classList.add("short");
  return element;
}

function fieldsOf(item) {
  const list = document.createElement("dl");
  list.className = "fields";
  for (const [name, value] of item.fields) {
    const term = document.createElement("dt");
    term.dir = "auto";
    term.textContent = name;
    list.append(term, textOf(value ?? "", item.kind, "dd"));
  }
  return list;
}

function pictureOf(item, side) {
  const figure = document.createElement("figure");
  figure.className = "picture";
  const image = document.createElement("img");
  image.alt = item.text || `${sideName(side)} image`;
  image.draggable = false;
  image.addEventListener("error", () => image.replaceWith(textOf("(This image cannot be shown.)")));
  image.addEventListener("load", measure);
  image.src = item.image;
  figure.append(image);
  const caption = document.createElement("figcaption");
  if (item.fields) caption.append(fieldsOf(item));
  else if (item.text) caption.append(textOf(item.text, "text", "span"));
  figure.append(caption);
  return figure;
}

/** Mark the card of an answer, both for a tie, none for null. */
function mark(answer, words = "") {
  for (const side of ["left", "right"]) {
    const marked = answer === side || answer === "tie";
    const badge = at(side).querySelector(".badge");
    at(side).classList.toggle("marked", marked);
    badge.hidden = !marked;
    badge.textContent = marked ? words : "";
  }
}

/** Mark what was answered before, if the pair was. */
function markGiven() {
  mark(state.pair.given, state.pair.given === "tie" ? "You said: tie" : "You said: better");
}

function showEarlier() {
  at("earlier").hidden = !isEarlier();
  at("skip").setAttribute("aria-disabled", String(isEarlier()));
  if (!isEarlier()) return;
  const far = steps === 1 ? "Your last answer" : steps > 1 ? `${steps} answers back` : "An earlier answer";
  at("earlier-text").textContent = `${far}: ${inWords(state.pair.given)}. Answer again to correct it.`;
}

function showProgress({ answered, total, mine, minutes_left, sure }) {
  at("bar").max = Math.max(total, answered, 1);
  at("bar").value = answered;
  const parts = [`${answered.toLocaleString("en")} of ${Math.max(total, answered).toLocaleString("en")} answered`];
  if (mine !== answered && state.person !== ALONE) parts.push(`${mine.toLocaleString("en")} by you`);
  if (minutes_left !== null && total > answered) parts.push(timeLeft(minutes_left));
  at("count").textContent = `${parts.join(", ")}.`;
  at("sure").textContent = sure;
  document.title = `${answered}/${Math.max(total, answered)} · ${state.question}`;
}

function timeLeft(minutes) {
  if (minutes < 1) return "less than a minute left";
  if (minutes < 90) return `about ${Math.round(minutes)} minute${Math.round(minutes) === 1 ? "" : "s"} left`;
  return `about ${(minutes / 60).toLocaleString("en", { maximumFractionDigits: 1 })} hours left`;
}

function showNotice(notice) {
  const news = notice && notice !== at("notice").textContent;
  at("notice").hidden = !notice;
  at("notice").textContent = notice ?? "";
  if (news) say(notice);
}

/** Say what is the matter above the cards, or nothing when all is well. */
function trouble(words) {
  const news = words && words !== at("trouble").textContent;
  at("trouble").hidden = !words;
  at("trouble").textContent = words ?? "";
  if (news) say(words);
}

/* ---- words ---- */

const sideName = (side) => ({ left: ["Left", "Top"], right: ["Right", "Bottom"] })[side][Number(narrow.matches)];
const inWords = (answer) => (answer === "tie" ? "a tie" : `${sideName(answer).toLowerCase()} is better`);

/** Name the sides as they lie: beside or above each other. */
function nameSides() {
  for (const element of document.querySelectorAll("[data-name]")) element.textContent = sideName(element.dataset.name);
  if (state) showEarlier();
}

/** What is read out of an item. */
function spoken(item) {
  const words = item.fields ? item.fields.map(([name, value]) => `${name}: ${value ?? ""}`).join(", ") : item.text;
  const start = Array.from(words.slice(0, SPOKEN + 2)).slice(0, SPOKEN).join("");
  return (item.image ? "image " : "") + (start.length < words.length ? `${start} … and more` : start || "empty");
}

/** Read out politely, after whatever is being read. */
function say(words) {
  const line = document.createElement("p");
  line.textContent = words;
  at("said").append(line);
  while (at("said").children.length > 5) at("said").firstChild.remove();
}

/* ---- time in sight ---- */

/** The milliseconds since the pair appeared, without those in which the page was out of sight. */
const clock = {
  begun: 0,
  sum: 0,
  from: null,
  restart() {
    this.begun = performance.now();
    this.sum = 0;
    this.from = document.hidden ? null : this.begun;
  },
  since() {
    return performance.now() - this.begun;
  },
  read() {
    return this.sum + (this.from === null ? 0 : performance.now() - this.from);
  },
  pause() {
    this.sum = this.read();
    this.from = null;
  },
  goOn() {
    if (this.from === null) this.from = performance.now();
  },
};

let leftAt = null; // when the page went out of sight

function sightChanged() {
  if (document.hidden) {
    clock.pause();
    leftAt = performance.now();
    return;
  }
  clock.goOn();
  beat();
  if (leftAt !== null && performance.now() - leftAt > STALE && !isEarlier()) poll();
}

/** A sign of life, while there is something to judge in sight. */
function beat() {
  if (document.hidden || view === "stopped" || view === "refused") return;
  reply("/api/here", {}).catch(() => {}); // what matters is told by the next answer
}

/** Look for a change that the person did not cause; what the person does meanwhile comes first. */
async function poll() {
  if (busy) return;
  const asked = turn;
  try {
    const next = await reply("/api/state");
    if (asked === turn && !busy) show(next);
  } catch (failure) {
    if (failure instanceof Refused) await recover(failure);
    else if (asked === turn) trouble(LOST);
  }
}

/* ---- the order so far ---- */

function toggleOrder(open = at("order").hidden) {
  at("order").hidden = !open;
  at("order-button").setAttribute("aria-expanded", String(open));
  at("frame").classList.toggle("with-order", open);
  coverWhenNarrow();
  if (open) listOrder();
  else if (document.activeElement === document.body) at("order-button").focus();
  say(open ? "The order so far is shown." : "The order is hidden.");
  measure();
}

/** On a narrow page the order lies over the pair: nothing under it may be answered. */
function coverWhenNarrow() {
  const covered = !at("order").hidden && narrow.matches;
  const wasCovered = at("shell").inert;
  at("shell").inert = covered;
  if (covered && !wasCovered) at("order-title").focus();
}

async function listOrder() {
  try {
    const { items } = await reply("/api/order");
    at("order-list").replaceChildren(...items.map(placeOf));
    at("order-note").textContent = state?.progress.answered ? LEADS : UNKNOWN;
    at("order-trouble").hidden = true;
  } catch (failure) {
    at("order-trouble").hidden = false;
    at("order-trouble").textContent = failure instanceof Refused ? failure.message : "The server does not answer now.";
  }
}

function placeOf({ rank, id, text }) {
  const line = document.createElement("li");
  const place = document.createElement("span");
  place.className = "rank";
  place.textContent = `${rank}.`;
  const what = document.createElement("span");
  what.className = "what";
  what.dir = "auto";
  const whole = text || id;
  const start = Array.from(whole.slice(0, LISTED + 2)).slice(0, LISTED).join("");
  what.textContent = start.length < whole.length ? `${start} …` : whole;
  line.append(place, what);
  return line;
}

/* ---- zoom ---- */

let zoomedSide = "left";

function openZoom(side = pointedSide()) {
  if (view !== "pair") return;
  const shown = [side, otherSide(side)].find((one) => state.pair[one].image);
  if (!shown) return say("There is no image to zoom.");
  at("zoom").showModal();
  at("zoomed").focus();
  closer(false);
  zoomOn(shown);
}

const otherSide = (side) => (side === "left" ? "right" : "left");
const pointedSide = () => document.querySelector(".card:hover, .card:focus-within")?.dataset.side ?? "left";

function zoomOn(side) {
  const item = state.pair[side];
  if (!item.image) return;
  zoomedSide = side;
  at("zoom-title").textContent = sideName(side);
  at("zoom-image").src = item.image;
  at("zoom-image").alt = item.text || `${sideName(side)} image`;
  at("zoom-other").hidden = !state.pair[otherSide(side)].image;
}

function closer(wanted = !at("zoomed").classList.contains("closer")) {
  at("zoomed").classList.toggle("closer", wanted);
  at("zoom-closer").setAttribute("aria-pressed", String(wanted));
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = at("zoomed");
  at("zoomed").scrollTo((scrollWidth - clientWidth) / 2, (scrollHeight - clientHeight) / 2);
}

function zoomKey(event) {
  const near = at("zoomed").classList.contains("closer"); // then the arrows move the image
  if (event.key === "z" || event.key === "Z") at("zoom").close();
  else if (event.key === "+" || event.key === "-") closer(event.key === "+");
  else if (event.key.startsWith("Arrow") && !near) zoomOn(otherSide(zoomedSide));
  else return;
  event.preventDefault();
}

/* ---- keys ---- */

const KEYS = {
  ArrowLeft: () => vote("left"),
  ArrowRight: () => vote("right"),
  ArrowDown: () => vote("tie"),
  Backspace: back,
  Escape: () => (at("order").hidden || !narrow.matches ? toNow() : toggleOrder(false)),
  s: skip,
  o: () => toggleOrder(),
  z: () => openZoom(),
  "?": () => at("help").showModal(),
};

function keyPressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (at("zoom").open) return zoomKey(event);
  if (at("help").open && event.key === "?") return at("help").close();
  if (document.querySelector("dialog[open]")) return;
  if (at("shell").inert && !["o", "O", "Escape"].includes(event.key)) return;
  if (scrollsByKey(event)) return;
  if (event.repeat && event.key === "Enter") return event.preventDefault(); // a button held down is pressed once
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || (event.shiftKey && event.key !== "?" && event.key.length > 1)) return;
  event.preventDefault();
  if (!event.repeat) action();
}

/** Whether the key scrolls: up and down in a long text or list that has the focus, a page in both cards. */
function scrollsByKey(event) {
  const focused = document.activeElement;
  if (event.key === "ArrowDown" && focused.matches("#order-list, .body[tabindex]")) return true;
  const pages = { PageDown: 1, PageUp: -1, " ": event.shiftKey ? -1 : 1 }[event.key];
  if (!pages || focused.matches("button, #order-list, .body[tabindex]")) return false;
  const long = [...document.querySelectorAll(".body[tabindex]")];
  for (const body of long) body.scrollBy({ top: pages * 0.85 * body.clientHeight });
  if (long.length) event.preventDefault();
  return long.length > 0;
}

/* ---- touch and mouse ---- */

let touch = null; // where and when a finger came down
let scrolledAt = -Infinity; // when something last scrolled: a finger that stops it means nothing else

function touchBegins(event) {
  if (event.pointerType === "mouse") return;
  if (!event.isPrimary || event.target.closest("button")) return touchEnds();
  const stops = performance.now() - scrolledAt < TAP;
  touch = { x: event.clientX, y: event.clientY, at: performance.now(), leaning: null, moved: stops };
}

function touchMoves(event) {
  if (!touch || !event.isPrimary || event.pointerType === "mouse") return;
  const [x, y] = [event.clientX - touch.x, event.clientY - touch.y];
  touch.moved ||= Math.hypot(x, y) > STIR;
  const leaning = leaningOf(x, y);
  at("cards").style.setProperty("--drag-x", `${Math.max(-40, Math.min(40, x / 3))}px`);
  if (leaning === touch.leaning || busy) return;
  touch.leaning = leaning;
  if (leaning) mark(leaning, leaning === "tie" ? "Tie" : "Better");
  else markGiven();
}

/** The answer that a movement means, if it is far and straight enough. */
function leaningOf(x, y) {
  if (Math.abs(x) >= SWIPE && Math.abs(x) > 1.5 * Math.abs(y)) return x < 0 ? "left" : "right";
  if (y >= SWIPE && y > 1.5 * Math.abs(x) && at("cards").classList.contains("still")) return "tie";
  return null;
}

/** A swipe answers, a tap chooses its card; of a tap soon after a swipe browsers drop the click, so none is waited for. */
function touchEnds(event) {
  const ended = touch;
  touch = null;
  at("cards").style.removeProperty("--drag-x");
  if (!ended || view !== "pair" || busy) return;
  if (ended.leaning) markGiven();
  if (event?.type !== "pointerup") return;
  const tapped = !ended.moved && performance.now() - ended.at < TAP ? sideOf(event) : null;
  if (ended.leaning ?? tapped) vote(ended.leaning ?? tapped);
}

/** A click on a card chooses it; those of a finger were seen already. */
function cardClicked(event) {
  const side = event.pointerType === "touch" || event.pointerType === "pen" ? null : sideOf(event);
  if (side) vote(side);
}

/** The side of the card that was meant; none between them, on a button, or when text was selected. */
function sideOf(event) {
  if (event.target.closest("button") || String(getSelection())) return null;
  return event.target.closest(".card")?.dataset.side ?? null;
}

/* ---- how it fits ---- */

/** See which texts are longer than their card: those can have the focus, and leave swiping down to scrolling. */
function measure() {
  for (const side of ["left", "right"]) {
    const body = at(side).querySelector(".body");
    const long = body.scrollHeight > body.clientHeight + 1;
    if (long) body.tabIndex = 0;
    else body.removeAttribute("tabindex");
    showMore(body);
  }
  const page = document.documentElement;
  const still = !document.querySelector(".body[tabindex]") && page.scrollHeight <= page.clientHeight + 1;
  at("cards").classList.toggle("still", still);
}

/** Let the end of a long text fade while there is more below. */
function showMore(body) {
  const more = body.scrollTop + body.clientHeight < body.scrollHeight - 8;
  body.closest(".card").classList.toggle("more", more);
}

function restartAnimation() {
  at("cards").classList.remove("fresh");
  void at("cards").offsetWidth; // lets the browser see the class go, so that it begins again
  at("cards").classList.add("fresh");
}

/* ---- beginning ---- */

/** Answers that a reload interrupted are sent first. */
async function begin() {
  const kept = sessionStorage.getItem(KEPT);
  if (kept) {
    unsaved = true;
    await act("/api/vote", JSON.parse(kept), UNSAVED);
  }
  if (state === null) await act("/api/state");
}

function leave() {
  if (view !== "stopped") navigator.sendBeacon("/api/leave", new Blob(["{}"], { type: "application/json" }));
}

function listen() {
  const clicks = {
    "order-button": () => toggleOrder(),
    "order-close": () => toggleOrder(false),
    "help-button": () => at("help").showModal(),
    "stop-button": () => at("stop").showModal(),
    "stop-no": () => at("stop").close(),
    "stop-yes": stop,
    undo: back,
    now: toNow,
    skip,
    "zoom-other": () => zoomOn(otherSide(zoomedSide)),
    "zoom-closer": () => closer(),
    "zoom-close": () => at("zoom").close(),
    "zoom-image": () => closer(),
  };
  for (const [id, action] of Object.entries(clicks)) at(id).addEventListener("click", () => action());
  for (const button of document.querySelectorAll(".answer")) {
    button.addEventListener("click", () => vote(button.dataset.answer));
  }
  for (const button of document.querySelectorAll(".zoom-button")) {
    button.addEventListener("click", () => openZoom(button.closest(".card").dataset.side));
  }
  for (const body of document.querySelectorAll(".body")) body.addEventListener("scroll", () => showMore(body));
  document.addEventListener("scroll", () => (scrolledAt = performance.now()), { capture: true, passive: true });
  const cards = at("cards");
  cards.addEventListener("pointerdown", touchBegins);
  cards.addEventListener("pointermove", touchMoves);
  cards.addEventListener("pointerup", touchEnds);
  cards.addEventListener("pointercancel", touchEnds);
  cards.addEventListener("click", cardClicked);
  addEventListener("keydown", keyPressed);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => event.persisted && poll());
  addEventListener("beforeunload", (event) => unsaved && event.preventDefault());
  document.addEventListener("visibilitychange", sightChanged);
  narrow.addEventListener("change", () => (nameSides(), coverWhenNarrow()));
  new ResizeObserver(measure).observe(cards);
}

nameSides();
listen();
begin();
setInterval(beat, BEAT);
setInterval(() => view === "waiting" && poll(), POLL);
