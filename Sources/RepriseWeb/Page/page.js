"use strict";
// Displays one scene of a daemon. The daemon sends the scene as elements with roles, and then only changes. The page
// keeps each operation until the daemon confirms it, and sends it again after a lost connection. The number of the
// operation ensures that the daemon performs it once.

const $ = id => document.getElementById(id),
  pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
  query = parameters => new URLSearchParams(parameters),
  client = crypto.randomUUID(),
  /** Elements by key, as the daemon sends them. */
  elements = new Map(),
  /** Displayed nodes by key. */
  nodes = new Map(),
  /** Text boxes by key. `base` is the daemon's text, as far as the page knows. `refused` is a text that it refused. */
  fields = new Map(),
  /** Operations that are not confirmed. The first may be under way. `snapshot` is a text before a later operation. */
  queue = [];
let target = Object.fromEntries(query(location.search)),
  root = "",
  /** Number of the page's last operation. */
  lastNumber = 0,
  /** Number of the last operation that the daemon confirmed. */
  confirmed = 0,
  /** Whether an operation was confirmed since the stream began. */
  isConfirmedNow = false,
  /** Number of the last operation that the received scene contains. */
  performed = 0,
  /** Number of an operation, and the durability level that it has reached. */
  durable = {},
  /** Reply to the last operation. */
  reply = {},
  online = false, signedOut = false, sending = false,
  /** Whether the page receives the changes of the scene that it shows. */
  isCurrent = false,
  /** Whether the session does not permit any changes. */
  observes = false,
  /** Reason why the daemon or the server ended the last stream. */
  refusal,
  /** Moves the row that the pointer drags to the place of another row. */
  drop;

// MARK: Text

/** The replacement that turns one text into another, in UTF-16 units, without splitting a character. */
function difference(from, to) {
  const isHigh = index => (from.charCodeAt(index) & 0xfc00) === 0xd800;
  const length = Math.min(from.length, to.length);
  let start = 0, end = 0;
  while (start < length && from[start] === to[start]) start++;
  if (start && isHigh(start - 1)) start--;
  while (end < length - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  if (end && isHigh(from.length - end - 1)) end--;
  return { start, end: from.length - end, text: to.slice(start, to.length - end) };
}

/** Applies the changes from `base` to `local` to the text `remote`. No inserted text is lost. */
function merge(base, local, remote) {
  const inserted = Array(base.length + 1).fill(""), kept = base.split("");
  const change = (from, to, offset) => {
    const { start, end, text } = difference(from, to), middle = from.slice(start, end);
    // The longest part that both texts share stays, unless it is so short that it can be a coincidence.
    let part = "", index = 0;
    while (index < middle.length && middle.length * text.length < 1e7) {
      const longer = middle.slice(index, index + part.length + 1);
      if (longer.length > part.length && text.includes(longer)) part = longer;
      else index++;
    }
    part = part.replace(/^\p{Cs}|\p{Cs}$/gu, "");
    offset += start;
    if (part.length < 3) {
      inserted[offset] += text;
      return kept.fill("", offset, offset + middle.length);
    }
    const [left, right] = [middle, text].map(whole => whole.indexOf(part)), next = left + part.length;
    change(middle.slice(0, left), text.slice(0, right), offset);
    change(middle.slice(next), text.slice(right + part.length), offset + next);
  };
  change(base, local, 0);
  change(base, remote, 0);
  return inserted.map((text, index) => text + (kept[index] ?? "")).join("");
}

const scalars = text => [...text].length;

function digest(text) {
  const bytes = new TextEncoder().encode(text);
  const hash = bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);
  return `${bytes.length}-${(hash >>> 0).toString(16).padStart(8, "0")}`;
}

/** Whether a text box can contain a text without changing it. A browser does not keep carriage returns. */
const fits = (input, text) => !text.includes("\r") && (input.localName === "textarea" || !text.includes("\n"));
const isEditable = ({ input, base }) => fits(input, base);

/** Makes a text of the daemon the base of a field, and keeps what the user has typed since. */
function rebase(field, text) {
  const { input } = field, local = input.value, canMerge = isEditable(field) && fits(input, text);
  const mergeText = mine => canMerge ? merge(field.base, mine, text) : text;
  if (!canMerge) showUnconfirmed(field, "The text now contains line breaks that this page cannot edit.");
  const { selectionStart, selectionEnd } = input;
  // The bounds of the selection are marked. A text cannot contain U+0000.
  const marks = [local.slice(0, selectionStart), local.slice(selectionStart, selectionEnd), local.slice(selectionEnd)];
  const [start, selected = "", end = ""] = mergeText(marks.join("\0")).split("\0"), merged = start + selected + end;
  for (const item of queue) if (item.field === field && item.snapshot != null) item.snapshot = mergeText(item.snapshot);
  field.base = text;
  if (!fits(input, text)) input.readOnly = true;
  if (merged === local) return;
  input.value = merged;
  input.setSelectionRange(start.length, start.length + selected.length);
}

/** Updates the fields whose text has changed, if the received scene contains all confirmed operations. */
function updateFields() {
  if (performed < confirmed) return;
  const item = queue[0];
  for (const [key, field] of fields) {
    const element = elements.get(key);
    if (!element || element.secret || field.composing) continue;
    if (sending && item?.field === field && item.number) {
      if (item.number > performed) continue;
      // The scene contains the edit that is under way.
      if (!item.isContained) field.base = item.text;
      item.isContained = true;
    }
    if (element.value !== field.base) rebase(field, element.value ?? "");
    if (![field.base, field.refused].includes(field.input.value)) enqueueText(field);
  }
}

// MARK: Operations

/** Adds an operation. `shown` is the key and the label of the row to which its index refers. */
function enqueue(method, parameters, shown) {
  if (observes) return;
  // Text that the user types after the operation is sent after it.
  for (const item of queue) if (item.field) item.snapshot ??= item.number ? item.text : item.field.input.value;
  queue.push({ method, parameters: { ...target, ...parameters }, shown });
  send();
}

function enqueueText(field) {
  if (observes || !isEditable(field)) return;
  const last = queue.at(-1);
  if (last?.field !== field || last.number) queue.push({ field });
  send();
}

const isQueued = field => queue.some(item => item.field === field);

/** Sets the parameters of an operation that edits a text. Returns false if there is nothing to send. */
function prepare(item) {
  const { field } = item, { base, path, secret } = field, text = item.snapshot ?? field.input.value;
  if (fields.get(field.key) !== field) return void showUnconfirmed(field);
  item.text = text;
  item.isContained = false;
  item.method = secret ? "Type" : "ReplaceText";
  item.parameters = { ...target, path, text };
  if (secret) return true;
  const edit = difference(base, text), start = scalars(base.slice(0, edit.start));
  const end = start + scalars(base.slice(edit.start, edit.end));
  Object.assign(item.parameters, { text: edit.text, start, end, base: digest(base) });
  return text !== base && isEditable(field);
}

/** Whether the scene has changed, so that the index of an operation refers to another row. */
function isOutdated({ shown }) {
  if (!shown || elements.get(shown.key)?.label === shown.label) return false;
  show(`“${shown.label}” has moved or changed. The operation was not performed.`);
  return true;
}

/** Sends the operations one after another, and repeats each operation until its outcome is known. */
async function send() {
  if (sending) return;
  sending = true;
  let delay = 100;
  try {
    while (queue.length) {
      const item = queue[0];
      updateStatus();
      if (!item.number) {
        // An index refers to the newest scene, which contains all confirmed operations.
        if (item.shown && (!isCurrent || performed < confirmed)) { await pause(20); continue; }
        if (item.field ? !prepare(item) : isOutdated(item)) { queue.shift(); continue; }
        item.number = ++lastNumber;
      }
      const operation = { client, number: item.number };
      const [status, answer] = await post(`/operations/${item.method}`, { ...item.parameters, operation });
      if (answer && status === 200) confirm(item, answer);
      else if (answer && status === 409 || [400, 403, 404, 413].includes(status)) await refuse(item, answer ?? {});
      else {
        item.isRepeated = true;
        [online, signedOut] = [false, status === 401];
        updateStatus();
        await pause(delay);
        delay = Math.min(2 * delay, 2000);
        continue;
      }
      delay = 100;
    }
  } finally {
    sending = false;
  }
  updateFields();
  updateStatus();
}

async function post(path, body) {
  try {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return [response.status, [200, 403, 409].includes(response.status) ? await response.json() : null];
  } catch {
    return [0, null];
  }
}

function confirm(item, answer) {
  queue.shift();
  [confirmed, isConfirmedNow, reply, signedOut] = [item.number, true, answer, false];
  const { field } = item;
  if (field) {
    if (!item.isContained) field.base = item.text;
    field.input.ariaInvalid = null;
    if (field.input.value !== field.base) enqueueText(field);
  }
  updateFields();
}

async function refuse(item, { error, message = "The server refused the operation.", text }) {
  const { field } = item;
  if (error === "TextChanged" && field) {
    item.number = null;
    // The daemon may have performed the edit and forgotten its number.
    if (!item.isRepeated || text !== item.text) return rebase(field, text);
    field.base = text;
    return;
  }
  queue.shift();
  if (error === "UnsavedChanges") {
    if (!await ask("Discard the unsaved changes?", "Discard")) return;
    return queue.unshift({ method: item.method, parameters: { ...item.parameters, keepChanges: false } });
  }
  if (field) {
    field.refused = item.text;
    showUnconfirmed(field, message);
  } else show(message);
  refresh([...elements.values()]);
}

function showUnconfirmed(field, message = "The field no longer exists.") {
  if (field.input.value === field.base || !isEditable(field)) return;
  field.input.ariaInvalid = "true";
  show(field.secret ? message : `${message} This text is not confirmed: ${field.input.value}`);
}

function show(textContent) { Object.assign($("message"), { textContent, hidden: false }); }

let questions = Promise.resolve();

/** Asks a question after the earlier questions. */
function ask(question, action) {
  const next = async () => {
    const dialog = $("question");
    $("question-text").textContent = question;
    $("question-yes").textContent = action;
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise(resolve => { dialog.onclose = resolve; });
    return dialog.returnValue === "yes";
  };
  return questions = questions.then(next, next);
}

function updateStatus() {
  const isUnsaved = reply.saved === "no";
  const level = !isUnsaved && durable.performed >= confirmed ? durable.saved : reply.saved;
  const text = signedOut ? "Signed out: open a link from “reprise-web login”"
    : !online ? queue.length ? "Offline: this page keeps your changes" : "Offline"
    : queue.length ? "Saving…"
    : isUnsaved ? `Not saved: ${reply.notSavedReason}`
    : level ? level[0].toUpperCase() + level.slice(1) : "Connected";
  if ($("status").textContent !== text) $("status").textContent = text;
  $("status").classList.toggle("problem", !online || isUnsaved);
}

// MARK: Nodes

const make = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const box = (className, ...children) => make("div", { className }, ...children);
const bar = (...children) => box("bar", ...children);
const button = (textContent, onclick, properties) => make("button", { type: "button", textContent, onclick, ...properties });

/** Displays buttons in a bar, unless it contains the same buttons. */
function setButtons(bar, ...buttons) {
  const shown = buttons.filter(Boolean), signature = JSON.stringify(shown);
  if (bar.signature !== signature) {
    bar.replaceChildren(...shown.map(([text, action, disabled, ariaLabel]) => button(text, action, { disabled, ariaLabel })));
  }
  bar.signature = signature;
  bar.hidden = !shown.length;
}

/** Functions that create the node of an element. `get` returns the newest element, and `act` performs an operation. */
const makers = {
  group(get, act) {
    const zoom = bar(), content = box("group");
    return make("div", { role: "group", className: "group", content, update({ label }) {
      this.ariaLabel = label || null;
      setButtons(zoom, ...zoomButtons(get, act));
    } }, zoom, content);
  },
  dialog() {
    const title = make("h2"), content = box("group");
    return make("div", { role: "dialog", ariaModal: "true", className: "group", content, update({ label }) {
      this.ariaLabel = title.textContent = label || "Dialog";
    } }, bar(title, button("Close", leave)), content);
  },
  navigation(get, act) {
    const title = make("h2"), content = bar(), pages = bar();
    return make("nav", { content, update({ label, number, maximum, actions }) {
      this.ariaLabel = label || "Navigation";
      title.textContent = number == null ? label : `Page ${number + 1} of ${maximum + 1}`;
      setButtons(pages, actions.includes("back") && ["Previous page", () => act("Back")],
        actions.includes("forward") && ["Next page", () => act("Forward")]);
    } }, content, title, pages);
  },
  button(get, act) {
    const isBack = () => get().actions.includes("back");
    return button("", () => isBack() ? leave() : act("Tap"), { update({ label, enabled, actions }) {
      this.textContent = isBack() ? `‹ ${label}` : label;
      this.ariaLabel = isBack() ? `Back to ${label}` : null;
      this.disabled = !enabled || !actions.length;
    } });
  },
  switch(get, act) {
    return button("", () => act("Tap"), { role: "switch", update({ label, enabled, selected }) {
      this.textContent = `${label} ${selected ? "on" : "off"}`;
      this.ariaLabel = label || "Switch";
      this.ariaChecked = !!selected;
      this.disabled = !enabled;
    } });
  },
  radiogroup() {
    return make("div", { role: "radiogroup", className: "bar", update({ label }) {
      this.content = this;
      this.ariaLabel = label || "Choice";
    } });
  },
  radio(get, act) {
    const text = make("span"), input = make("input", { type: "radio", name: get().path });
    input.onchange = () => act("Select", { indexes: [get().index] });
    return make("label", { update({ label, selected, enabled }) {
      text.textContent = label;
      input.checked = selected;
      input.disabled = !enabled;
    } }, input, text);
  },
  tablist() {
    return make("div", { role: "tablist", className: "bar", onkeydown({ key }) {
      const tabs = [...this.children], step = { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (step) tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length).focus();
    }, update({ label }) {
      this.content = this;
      this.ariaLabel = label || "Tabs";
    } });
  },
  tab(get, act) {
    return button("", () => act("Select", { indexes: [get().index] }), { role: "tab", update({ label, selected }) {
      this.textContent = label;
      this.ariaSelected = !!selected;
    } });
  },
  table(get, act) {
    const commands = bar(), position = make("p", { className: "text" }), content = make("ul");
    const scroll = rows => () => act("Scroll", { x: 0, y: Math.max(0, get().first + rows) });
    return make("section", { className: `group ${get().role}`, content, update({ label, count, first, children, editing, actions }) {
      const { length } = children, last = first + length, can = name => actions.includes(name);
      this.ariaLabel = content.ariaLabel = label || "List";
      setButtons(commands, can("edit") && [editing ? "Done" : "Edit rows", () => act("Edit", { on: !get().editing })],
        can("undoDelete") && ["Undo delete", () => act("UndoDelete")],
        can("scroll") && ["Earlier rows", scroll(-length), !first], can("scroll") && ["Later rows", scroll(length), last >= count]);
      position.textContent = count > length ? `Rows ${first + 1} to ${last} of ${count}` : count ? "" : "The list is empty.";
    } }, commands, content, position);
  },
  row(get, act) {
    const text = make("span"), detail = make("span", { className: "detail" }), commands = bar();
    const row = button("", () => act("Tap", { row: get().index }), { className: "row" });
    row.append(text, detail);
    const handle = box("handle");
    const item = make("li", {}, handle, row, commands);
    const move = step => () => step && act("Move", { from: get().index, to: get().index + step });
    handle.onpointerdown = ({ pointerId }) => {
      // Other rows receive the events of the pointer.
      handle.releasePointerCapture(pointerId);
      drop = ({ path, index }) => path === get().path && move(index - get().index)();
    };
    item.onpointerenter = item.onpointerleave = item.onpointerup = ({ type }) => {
      if (type === "pointerup") drop?.(get());
      item.className = drop && type === "pointerenter" ? "place" : "";
    };
    const remove = async () => {
      const { key, label, index } = get();
      if (await ask(`Delete “${label}”?`, "Delete") && !isOutdated({ shown: { key, label } })) act("Delete", { row: index });
    };
    return Object.assign(item, { update({ index, label, value, selected, actions }) {
      text.textContent = label;
      detail.textContent = value ?? "";
      row.ariaPressed = !!selected;
      const canMove = actions.includes("move");
      handle.hidden = !canMove;
      setButtons(commands, canMove && ["Up", move(-1), !index, `Move up ${label}`], canMove && ["Down", move(1), , `Move down ${label}`],
        actions.includes("delete") && ["Delete", remove, , `Delete ${label}`]);
    } });
  },
  slider(get, act) {
    const text = make("span"), output = make("output"), input = make("input", { type: "range" });
    const isIndex = get().actions.includes("select");
    input.oninput = () => { output.value = input.value; };
    input.onchange = () => isIndex ? act("Select", { indexes: [+input.value] }) : act("Type", { text: input.value });
    return make("label", { className: "field", update({ label, number, minimum, maximum, enabled }) {
      text.textContent = label || "Value";
      Object.assign(input, { step: isIndex ? 1 : "any", min: minimum, max: maximum, value: number, disabled: !enabled });
      output.value = number;
    } }, text, input, output);
  },
  textbox(get) {
    const { key, path, value, multiline, secret } = get(), text = make("span");
    const input = make(multiline || value?.includes("\n") ? "textarea" : "input", { autocomplete: "off", spellcheck: false });
    if (secret) input.type = "password";
    input.value = value ?? "";
    const field = { key, path, secret, input, base: value ?? "" };
    fields.set(key, field);
    input.oninput = () => { if (!field.composing) enqueueText(field); };
    input.oncompositionstart = () => { field.composing = true; };
    input.oncompositionend = () => { field.composing = false; enqueueText(field); };
    return make("label", { className: "field", update({ label, value, placeholder, enabled, editable }) {
      text.textContent = label;
      const readOnly = editable === false || !fits(input, value ?? "");
      Object.assign(input, { placeholder: placeholder ?? "", disabled: !enabled, readOnly });
    } }, text, input);
  },
  img(get, act) {
    const picture = make("pre", { ariaHidden: "true" }), figure = make("div", { role: "img" }, picture), commands = bar();
    const scroll = (text, x, y) => [text, () => act("Scroll", { x: get().x + x, y: get().y + y })];
    return make("div", { className: "group", update({ label, value }) {
      figure.ariaLabel = label || "Picture";
      picture.textContent = value;
      setButtons(commands, ...zoomButtons(get, act), scroll("Left", -4, 0), scroll("Right", 4, 0), scroll("Up", 0, -2),
        scroll("Down", 0, 2));
    } }, figure, commands);
  },
  document(get, act) {
    const title = make("h2"), text = box("text"), commands = bar();
    const address = make("input", { type: "url", ariaLabel: "Address" });
    const form = make("form", { onsubmit(event) {
      event.preventDefault();
      act("Load", { url: address.value });
    } }, address, make("button", {}, "Load"));
    return make("article", { update({ label, value, placeholder, number, actions }) {
      title.textContent = label;
      if (document.activeElement !== address) address.value = placeholder ?? "";
      text.textContent = value;
      text.style.fontSize = `${number ?? 1}em`;
      setButtons(commands, ["Back", () => act("Back"), !actions.includes("back")],
        ["Forward", () => act("Forward"), !actions.includes("forward")], ...zoomButtons(get, act));
    } }, bar(commands, form), title, text);
  },
  text() {
    return make("p", { className: "text", update({ value, label }) { this.textContent = value ?? label; } });
  },
};
makers.listbox = makers.table;
makers.option = makers.row;

function zoomButtons(get, act) {
  const { actions, number, minimum, maximum } = get();
  const zoom = factor => () => act("Zoom", { scale: Math.min(maximum, Math.max(minimum, get().number * factor)) });
  if (!actions.includes("zoom")) return [];
  return [["Zoom out", zoom(0.8), number <= minimum], ["Zoom in", zoom(1.25), number >= maximum]];
}

function nodeOf(key) {
  const get = () => elements.get(key);
  const act = (method, parameters) => {
    const { path, index, label } = get();
    enqueue(method, { path, ...parameters }, index != null && { key, label });
  };
  if (!nodes.has(key)) {
    const node = makers[get().role](get, act);
    node.elementRole = get().role;
    nodes.set(key, node);
    node.update(get());
  }
  return nodes.get(key);
}

/** Displays new and changed elements. */
function refresh(changed) {
  const focused = document.activeElement;
  for (const element of changed) {
    const node = nodeOf(element.key);
    node.update(element);
    if (!node.content) continue;
    const children = element.children.map(nodeOf), shown = node.content.children;
    children.forEach((child, index) => {
      if (shown[index] !== child) node.content.insertBefore(child, shown[index] ?? null);
    });
    while (shown.length > children.length) node.content.lastChild.remove();
  }
  const top = nodeOf(root);
  if ($("scene").firstChild !== top) {
    $("scene").replaceChildren(top);
    if (isDialog()) $("scene").focus();
  }
  if (observes) {
    for (const control of $("scene").querySelectorAll("button,input,textarea")) {
      // Text can still be selected.
      control[control.selectionStart == null ? "disabled" : "readOnly"] = true;
    }
  }
  if (focused !== document.activeElement && focused.isConnected) focused.focus();
  if (!observes && (isDialog() || backButton()) && !history.state) history.pushState("inside", "");
}

// MARK: Navigation

const isDialog = () => elements.get(root)?.role === "dialog";
const backButton = () => [...elements.values()].find(({ role, actions }) => role === "button" && actions.includes("back"));

/** Dismisses the dialog, or goes back. */
function leave() {
  if (isDialog()) enqueue("Dismiss", { keepChanges: true });
  else if (backButton()) enqueue("Back", { path: backButton().path, keepChanges: true });
}

onpopstate = () => {
  if (history.state) return;
  leave();
  refresh([]);
};
onkeydown = ({ key }) => { if (key === "Escape" && isDialog() && !$("question").open) leave(); };
onbeforeunload = event => { if (queue.length) event.preventDefault(); };
onpointerup = () => { drop = null; };
$("scenes").onchange = () => { location.search = $("scenes").value; };

// MARK: Stream

function receive({ application, scene, root: newRoot, elements: changed = [], removed = [], performed: number }) {
  number ??= 0;
  // After a rollback, the scene contains fewer operations than before.
  if (application ? number < confirmed && !isConfirmedNow : number < performed) {
    confirmed = number;
    show("The scene has returned to an earlier state.");
  }
  [root, performed] = [newRoot, number];
  if (application) {
    const keys = new Set(changed.map(({ key }) => key));
    removed = [...elements.keys()].filter(key => !keys.has(key));
    target = { application, scene };
    $("scenes").value = query(target);
    history.replaceState(history.state, "", `?${query(target)}`);
    document.title = `${scene} – ${application}`;
    // A secret is not restored after a restart, so the user types it again.
    for (const field of fields.values()) {
      field.refused = undefined;
      if (field.secret && !isQueued(field)) field.input.value = field.base = "";
    }
  }
  const forget = key => {
    nodes.get(key)?.remove();
    nodes.delete(key);
    const field = fields.get(key);
    fields.delete(key);
    if (field && !isQueued(field)) showUnconfirmed(field);
  };
  for (const key of removed) {
    forget(key);
    elements.delete(key);
  }
  for (const element of changed) {
    if (nodes.has(element.key) && nodes.get(element.key).elementRole !== element.role) forget(element.key);
    elements.set(element.key, element);
  }
  refresh(changed);
  $("title").textContent = elements.get(root).label || target.scene;
  updateFields();
}

function connect(delay) {
  isConfirmedNow = false;
  const source = new EventSource(`/events?${query({ ...target, client })}`.replaceAll("+", "%20"));
  const listen = (name, body) => source.addEventListener(name, ({ data }) => {
    body(data && JSON.parse(data));
    updateStatus();
  });
  listen("scene", data => {
    [delay, online, isCurrent, signedOut] = [100, true, true, false];
    if ($("message").textContent === refusal) $("message").hidden = true;
    receive(data);
  });
  listen("session", ({ role }) => {
    if (observes === (role === "observer")) return;
    observes = !observes;
    $("observing").hidden = !observes;
    // The next event contains all elements, whose controls are created again.
    nodes.clear();
  });
  listen("saved", data => { durable = data; });
  listen("presence", ({ text }) => { $("presence").textContent = text; });
  listen("refused", ({ message }) => {
    delay = 2000;
    show(refusal = message);
  });
  listen("error", async () => {
    source.close();
    online = isCurrent = false;
    $("presence").textContent = "";
    await pause(delay);
    await listScenes();
    connect(Math.min(2 * delay, 2000));
  });
}

async function listScenes() {
  try {
    const response = await fetch("/scenes");
    signedOut = response.status === 401;
    const { applications } = await response.json();
    $("scenes").replaceChildren(...applications.flatMap(({ bundleIdentifier, scenes }) => scenes.map(({ name }) =>
      new Option(`${bundleIdentifier} / ${name}`, query({ application: bundleIdentifier, scene: name })))));
    $("scenes").value = query(target);
  } catch {
    // The stream reports that the page is signed out, or that the server is not available.
  }
}

async function start() {
  const token = location.hash.slice(1);
  if (token) {
    const [status] = await post("/login", token);
    history.replaceState(null, "", location.pathname + location.search);
    if (status !== 204) show("The link has expired. “reprise-web login” prints another link.");
  }
  await listScenes();
  connect(100);
}
start();
