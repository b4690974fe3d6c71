"use strict";
// Displays one scene of a daemon. The daemon sends the scene as elements with roles, and then only changes. The page
// keeps each operation until the daemon has confirmed it, and sends it again after a lost connection. The operation's
// number ensures that the daemon performs it once.

const $ = (id) => document.getElementById(id);
const client = crypto.randomUUID();
let target = Object.fromEntries(new URLSearchParams(location.search));
let lastNumber = 0;           // Number of this page's last operation.
let acknowledged = 0;         // Number of the last operation that the daemon confirmed.
let acknowledgedSinceStart = false;
let performed = 0;            // Number of the last operation that the received scene contains.
let durable = { number: 0, level: "" };
let saved = null;             // Durability level of the last operation, or null.
let notSavedReason = null;
let root = "";
let online = false;
let signedOut = false;
let sending = false;
const elements = new Map();   // Elements by key, as the daemon sends them.
const nodes = new Map();      // Displayed nodes by key.
const fields = new Map();     // Text boxes by key: base is the daemon's text, as far as the page knows.
const queue = [];             // Operations that are not confirmed. The first may be under way.

// MARK: Text

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const isHigh = (text, index) => (text.charCodeAt(index) & 0xfc00) === 0xd800;

/** The single replacement that turns one text into another, in UTF-16 units, without splitting a character. */
function difference(from, to) {
  let start = 0;
  const shorter = Math.min(from.length, to.length);
  while (start < shorter && from[start] === to[start]) start++;
  if (start > 0 && isHigh(from, start - 1)) start--;
  let end = 0;
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  if (end > 0 && isHigh(from, from.length - end - 1)) end--;
  return { start, end: from.length - end, text: to.slice(start, to.length - end) };
}

const scalarCount = (text) => { let count = 0; for (const _ of text) count++; return count; };

function digest(text) {
  const bytes = new TextEncoder().encode(text);
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${bytes.length}-${(hash >>> 0).toString(16).padStart(8, "0")}`;
}

/** Applies the change from `base` to `local` to `remote`. Inserted text is never lost. */
function merge(base, local, remote) {
  if (local === base) return remote;
  const mine = difference(base, local), theirs = difference(base, remote);
  if (mine.end <= theirs.start) return remote.slice(0, mine.start) + mine.text + remote.slice(mine.end);
  const after = theirs.start + theirs.text.length;
  const start = mine.start >= theirs.end ? mine.start - theirs.end + after : after;
  const end = mine.start >= theirs.end ? start + mine.end - mine.start : after;
  return remote.slice(0, start) + mine.text + remote.slice(end);
}

/** Makes a text of the daemon the base of a field, and keeps what the user has typed since. */
function rebase(field, text) {
  const local = field.input.value;
  const merged = merge(field.base, local, text);
  field.base = text;
  if (merged === local) return;
  const { start } = difference(local, merged);
  const move = (position) => position <= start ? position : Math.max(start, position + merged.length - local.length);
  const caret = [move(field.input.selectionStart), move(field.input.selectionEnd)];
  field.input.value = merged;
  field.input.setSelectionRange(...caret);
}

/** Updates the fields whose text the daemon has changed, if the received scene contains all confirmed operations. */
function updateFields() {
  if (performed < acknowledged) return;
  const current = queue[0];
  for (const [key, field] of fields) {
    const element = elements.get(key);
    if (!element || element.secret || field.composing) continue;
    if (sending && current?.field === key && current.number) {
      if (current.number > performed) continue;
      if (!current.contained) { field.base = current.text; current.contained = true; }
    }
    if (element.value !== field.base) rebase(field, element.value ?? "");
    if (field.input.value !== field.base) enqueueText(key);
  }
}

// MARK: Operations

function enqueue(method, parameters) {
  queue.push({ method, parameters: { ...target, ...parameters } });
  send();
}

function enqueueText(key) {
  const last = queue.at(-1);
  if (last?.field === key && !last.number) return;
  queue.push({ field: key });
  send();
}

/** Sets the parameters of an operation that edits a text. Returns false if there is nothing to send. */
function prepareText(item) {
  const field = fields.get(item.field), element = elements.get(item.field);
  if (!field || !element) {
    if (field && field.input.value !== field.base) showLost(field);
    return false;
  }
  const text = field.input.value;
  item.text = text;
  item.contained = false;
  if (element.secret) {
    item.method = "Type";
    item.parameters = { ...target, path: element.path, text };
    return true;
  }
  if (text === field.base) return false;
  const edit = difference(field.base, text);
  const start = scalarCount(field.base.slice(0, edit.start));
  item.method = "ReplaceText";
  item.parameters = {
    ...target, path: element.path, text: edit.text, start,
    end: start + scalarCount(field.base.slice(edit.start, edit.end)), base: digest(field.base),
  };
  return true;
}

/** Sends the operations one after another, and repeats an operation until its outcome is known. */
async function send() {
  if (sending) return;
  sending = true;
  let delay = 100;
  while (queue.length) {
    const item = queue[0];
    if (item.field && !item.parameters && !prepareText(item)) { queue.shift(); continue; }
    item.number ??= ++lastNumber;
    updateStatus();
    let response = null, reply = null;
    try {
      response = await fetch(`/operations/${item.method}`, {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...item.parameters, operation: { client, number: item.number } }),
      });
      if (response.ok || response.status === 409) reply = await response.json();
    } catch {
      reply = null;
    }
    if (response?.ok && reply) {
      delay = 100;
      finish(item, reply);
    } else if (response?.status === 409 && reply) {
      await refuse(item, reply);
    } else if (response && [400, 403, 404, 413].includes(response.status)) {
      await refuse(item, { error: "", message: "The server does not accept the operation." });
    } else {
      signedOut = response?.status === 401;
      online = false;
      updateStatus();
      await pause(delay);
      delay = Math.min(2 * delay, 2000);
    }
  }
  sending = false;
  updateFields();
  updateStatus();
}

function finish(item, reply) {
  queue.shift();
  acknowledged = item.number;
  acknowledgedSinceStart = true;
  [saved, notSavedReason] = [reply.saved, reply.notSavedReason];
  signedOut = false;
  const field = fields.get(item.field);
  if (field && !item.contained) field.base = item.text;
  if (item.field) field?.input.removeAttribute("aria-invalid");
  if (field && !elements.get(item.field)?.secret && field.input.value !== field.base) enqueueText(item.field);
  updateFields();
}

async function refuse(item, refusal) {
  const field = fields.get(item.field);
  if (refusal.error === "TextChanged" && field) {
    rebase(field, refusal.text);
    item.parameters = item.number = null;
    return;
  }
  queue.shift();
  if (refusal.error === "UnsavedChanges") {
    if (await ask("Discard the unsaved changes?", "Discard")) {
      queue.unshift({ method: item.method, parameters: { ...item.parameters, keepChanges: false } });
    }
    return;
  }
  if (field) field.input.setAttribute("aria-invalid", "true");
  show(field ? `${refusal.message} This text is not confirmed: ${field.input.value}` : refusal.message);
  refresh([...elements.values()]);
}

function showLost(field) {
  show(`The field no longer exists. This text is not confirmed: ${field.input.value}`);
}

function show(message) {
  $("message").textContent = message;
  $("message").hidden = !message;
}

async function ask(question, action) {
  $("question-text").textContent = question;
  $("question-yes").textContent = action;
  $("question").returnValue = "no";
  $("question").showModal();
  await new Promise((resolve) => $("question").addEventListener("close", resolve, { once: true }));
  return $("question").returnValue === "yes";
}

function updateStatus() {
  const status = $("status");
  const isProblem = !online || (saved === "no" && !queue.length);
  let text = "Connected";
  if (signedOut) text = "Signed out: open a new link from “reprise-web login”";
  else if (!online) text = queue.length ? "Offline: this page keeps your changes" : "Offline";
  else if (queue.length) text = "Saving…";
  else if (saved === "no") text = `Not saved: ${notSavedReason ?? ""}`;
  else if (saved) {
    const level = durable.number >= acknowledged && durable.level !== "no" ? durable.level : saved;
    text = { written: "Written", durable: "Durable", replicated: "Replicated" }[level] ?? level;
  }
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("problem", isProblem);
}

// MARK: Nodes

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

const button = (label, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, label);

/** Creates the node of an element. `node.update` displays a newer element, and `node.content` contains the children. */
function create(key) {
  const now = () => elements.get(key);
  const kind = now().role;
  const node = (makers[kind] ?? makers.group)(key, now);
  node.dataset.role = kind;
  return node;
}

/** Replaces the buttons in a bar, unless they are the same. */
function setButtons(bar, specifications) {
  const signature = JSON.stringify(specifications.map(([label, , disabled]) => [label, disabled]));
  if (bar.signature === signature) return;
  bar.signature = signature;
  bar.replaceChildren(...specifications.map(([label, action, disabled]) => button(label, action, { disabled })));
}

function zoomButtons(now) {
  const zoom = (factor) => () => {
    const { path, number, minimum, maximum } = now();
    enqueue("Zoom", { path, scale: Math.min(maximum, Math.max(minimum, number * factor)) });
  };
  if (!now().actions.includes("zoom")) return [];
  return [["Zoom out", zoom(0.8), now().number <= now().minimum], ["Zoom in", zoom(1.25), now().number >= now().maximum]];
}

const perform = (method, now, parameters = {}) => () => enqueue(method, { path: now().path, ...parameters });

const makers = {
  group(key, now) {
    const bar = make("div", { class: "bar" }), content = make("div", { class: "group" });
    const node = make("div", { role: "group", class: "group" }, bar, content);
    node.content = content;
    node.update = () => {
      node.ariaLabel = now().label || null;
      setButtons(bar, zoomButtons(now));
      bar.hidden = !bar.children.length;
    };
    return node;
  },
  dialog(key, now) {
    const title = make("h1", { id: "dialog-title" }), content = make("div", { class: "group" });
    const close = button("Close", () => enqueue("Dismiss", { keepChanges: true }));
    const node = make("div", { role: "dialog", "aria-modal": "true", "aria-labelledby": "dialog-title", class: "group" },
      make("div", { class: "bar" }, title, close), content);
    node.content = content;
    node.update = () => { title.textContent = now().label || "Dialog"; };
    return node;
  },
  navigation(key, now) {
    const title = make("h2"), content = make("div", { class: "bar" }), bar = make("div", { class: "bar" });
    const node = make("nav", {}, content, title, bar);
    node.content = content;
    node.update = () => {
      const { label, number, maximum, actions } = now();
      node.ariaLabel = label || "Navigation";
      title.textContent = number == null ? label : `Page ${number + 1} of ${maximum + 1}`;
      setButtons(bar, [
        actions.includes("back") && ["Previous page", perform("Back", now)],
        actions.includes("forward") && ["Next page", perform("Forward", now)],
      ].filter(Boolean));
    };
    return node;
  },
  button(key, now) {
    const node = button("", () => now().actions.includes("back")
      ? enqueue("Back", { path: now().path, keepChanges: true }) : enqueue("Tap", { path: now().path }));
    node.update = () => {
      const isBack = now().actions.includes("back");
      node.textContent = isBack ? `‹ ${now().label}` : now().label;
      node.ariaLabel = isBack ? `Back to ${now().label}` : null;
      node.disabled = !now().enabled || !now().actions.length;
    };
    return node;
  },
  switch(key, now) {
    const node = button("", perform("Tap", now), { role: "switch" });
    node.update = () => {
      node.textContent = `${now().label} ${now().selected ? "on" : "off"}`.trim();
      node.ariaLabel = now().label || "Switch";
      node.ariaChecked = String(!!now().selected);
      node.disabled = !now().enabled;
    };
    return node;
  },
  radiogroup(key, now) {
    const legend = make("legend"), node = make("fieldset", { role: "radiogroup" }, legend);
    node.content = make("div", { class: "bar" });
    node.append(node.content);
    node.update = () => { node.ariaLabel = now().label || "Choice"; legend.textContent = now().label; };
    return node;
  },
  radio(key, now) {
    const input = make("input", { type: "radio", name: now().path, onchange: () =>
      enqueue("Select", { path: now().path, indexes: [now().index] }) });
    const text = make("span"), node = make("label", {}, input, text);
    node.update = () => {
      text.textContent = now().label;
      input.checked = !!now().selected;
      input.disabled = !now().enabled;
    };
    return node;
  },
  tablist(key, now) {
    const node = make("div", { role: "tablist", class: "bar", onkeydown: (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const tabs = [...node.children], index = tabs.indexOf(document.activeElement);
      if (step && index >= 0) tabs[(index + step + tabs.length) % tabs.length].focus();
    } });
    node.content = node;
    node.update = () => { node.ariaLabel = now().label || "Tabs"; };
    return node;
  },
  tab(key, now) {
    const node = button("", () => enqueue("Select", { path: now().path, indexes: [now().index] }), { role: "tab" });
    node.update = () => { node.textContent = now().label; node.ariaSelected = String(!!now().selected); };
    return node;
  },
  table(key, now) {
    const bar = make("div", { class: "bar" }), position = make("p", { class: "text" }), list = make("ul");
    const node = make("section", { class: `group ${now().role}` }, bar, list, position);
    node.content = list;
    const scroll = (rows) => () => enqueue("Scroll", { path: now().path, x: 0, y: Math.max(0, now().first + rows) });
    node.update = () => {
      const { label, count, first, children, editing, actions } = now();
      const last = first + children.length;
      node.ariaLabel = label || "List";
      list.ariaLabel = label || "Rows";
      setButtons(bar, [
        [editing ? "Done" : "Edit rows", perform("Edit", now, { on: !editing })],
        actions.includes("undoDelete") && ["Undo delete", perform("UndoDelete", now)],
        actions.includes("scroll") && ["Earlier rows", scroll(-children.length), first === 0],
        actions.includes("scroll") && ["Later rows", scroll(children.length), last >= count],
      ].filter(Boolean));
      position.textContent = !count ? "The list is empty." : count > children.length ? `Rows ${first + 1} to ${last} of ${count}` : "";
    };
    return node;
  },
  row(key, now) {
    const label = make("span"), detail = make("span", { class: "detail" }), bar = make("div", { class: "bar" });
    const row = make("button", { type: "button", class: "row", onclick: () =>
      enqueue("Tap", { path: now().path, row: now().index }) }, label, detail);
    const node = make("li", {}, row, bar);
    const move = (step) => () => enqueue("Move", { path: now().path, from: now().index, to: now().index + step });
    const remove = async () => {
      const { path, index, label } = now();
      if (await ask(`Delete “${label}”?`, "Delete")) enqueue("Delete", { path, row: index });
    };
    node.update = () => {
      const { index, selected, value, actions } = now(), text = now().label;
      label.textContent = text;
      detail.textContent = value ?? "";
      row.ariaPressed = String(!!selected);
      const count = [...elements.values()].find((list) => list.children.includes(key))?.count ?? 0;
      setButtons(bar, [
        actions.includes("move") && [`Move up ${text}`, move(-1), index === 0],
        actions.includes("move") && [`Move down ${text}`, move(1), index + 1 >= count],
        actions.includes("delete") && [`Delete ${text}`, remove],
      ].filter(Boolean));
    };
    return node;
  },
  slider(key, now) {
    const label = make("span"), output = make("output");
    const send = () => now().actions.includes("select")
      ? enqueue("Select", { path: now().path, indexes: [Math.round(input.valueAsNumber)] })
      : enqueue("Type", { path: now().path, text: input.value });
    const input = make("input", { type: "range", onchange: send, oninput: () => { output.value = input.value; } });
    const node = make("label", { class: "field" }, label, input, output);
    node.update = () => {
      const { number, minimum, maximum, enabled, actions } = now();
      label.textContent = now().label || "Value";
      input.min = minimum;
      input.max = maximum;
      input.step = actions.includes("select") ? 1 : "any";
      input.value = number;
      output.value = number;
      input.disabled = !enabled;
    };
    return node;
  },
  textbox(key, now) {
    const { value, multiline, secret } = now();
    const label = make("span");
    const input = make(multiline || value?.includes("\n") ? "textarea" : "input", { autocomplete: "off", spellcheck: "false" });
    if (secret) input.type = "password";
    const field = { input, base: value ?? "", composing: false };
    input.value = field.base;
    fields.set(key, field);
    input.addEventListener("input", () => { if (!field.composing) enqueueText(key); });
    input.addEventListener("compositionstart", () => { field.composing = true; });
    input.addEventListener("compositionend", () => { field.composing = false; enqueueText(key); });
    const node = make("label", { class: "field" }, label, input);
    node.update = () => {
      label.textContent = now().label;
      input.placeholder = now().placeholder ?? "";
      input.disabled = !now().enabled;
      // A browser does not keep carriage returns, so such a text cannot be edited here.
      input.readOnly = now().editable === false || !!now().value?.includes("\r");
    };
    return node;
  },
  img(key, now) {
    const picture = make("pre", { "aria-hidden": "true" }), figure = make("figure", { role: "img" }, picture);
    const bar = make("div", { class: "bar" }), node = make("div", { class: "group" }, figure, bar);
    node.update = () => {
      figure.ariaLabel = now().label || "Picture";
      picture.textContent = now().value ?? "";
      setButtons(bar, zoomButtons(now));
    };
    return node;
  },
  document(key, now) {
    const title = make("h2"), text = make("div", { class: "text" }), bar = make("div", { class: "bar" });
    const address = make("input", { type: "url", "aria-label": "Address", autocomplete: "off" });
    const form = make("form", { onsubmit: (event) => {
      event.preventDefault();
      enqueue("Load", { path: now().path, url: address.value });
    } }, address, make("button", {}, "Load"));
    const node = make("article", {}, make("div", { class: "bar" }, bar, form), title, text);
    node.update = () => {
      title.textContent = now().label;
      if (document.activeElement !== address) address.value = now().placeholder ?? "";
      text.textContent = now().value ?? "";
      text.style.fontSize = `${now().number ?? 1}em`;
      setButtons(bar, [["Back", perform("Back", now), !now().actions.includes("back")],
        ["Forward", perform("Forward", now), !now().actions.includes("forward")], ...zoomButtons(now)]);
    };
    return node;
  },
  text(key, now) {
    const node = make("p", { class: "text" });
    node.update = () => { node.textContent = now().value ?? now().label; };
    return node;
  },
};
makers.listbox = makers.table;
makers.option = makers.row;

/** Displays new and changed elements. */
function refresh(changed) {
  const focused = document.activeElement;
  for (const element of changed) {
    if (!elements.has(element.key)) continue;
    let node = nodes.get(element.key);
    if (!node) nodes.set(element.key, node = create(element.key));
    node.update();
    if (!node.content) continue;
    element.children.forEach((key, index) => {
      if (!elements.has(key)) return;
      let child = nodes.get(key);
      if (!child) { nodes.set(key, child = create(key)); child.update(); }
      if (node.content.children[index] !== child) node.content.insertBefore(child, node.content.children[index] ?? null);
    });
    while (node.content.children.length > element.children.length) node.content.lastChild.remove();
  }
  const top = nodes.get(root);
  if (top && $("scene").firstChild !== top) {
    $("scene").replaceChildren(top);
    if (top.dataset.role === "dialog") $("scene").focus();
  }
  if (focused !== document.activeElement && focused?.isConnected) focused.focus();
  const canGoBack = elements.get(root)?.role === "dialog" || !!backButton();
  if (canGoBack && !history.state?.inside) history.pushState({ inside: true }, "");
}

const backButton = () => [...elements.values()].find((element) => element.role === "button" && element.actions.includes("back"));

addEventListener("popstate", () => {
  if (history.state?.inside) return;
  if (elements.get(root)?.role === "dialog") enqueue("Dismiss", { keepChanges: true });
  else if (backButton()) enqueue("Back", { path: backButton().path, keepChanges: true });
  refresh([]);
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !$("question").open && elements.get(root)?.role === "dialog") enqueue("Dismiss", { keepChanges: true });
});
addEventListener("beforeunload", (event) => { if (queue.length) event.preventDefault(); });

// MARK: Stream

function receive(reply) {
  const isComplete = reply.application != null, number = reply.performed ?? 0;
  // The daemon has gone back to an earlier state, for example by a rollback.
  const isReset = isComplete ? number < acknowledged && !acknowledgedSinceStart : number < performed;
  if (isReset) {
    acknowledged = number;
    show("The scene has returned to an earlier state.");
  }
  performed = number;
  if (isComplete) {
    const keys = new Set((reply.elements ?? []).map((element) => element.key));
    reply.removed = [...elements.keys()].filter((key) => !keys.has(key));
    target = { application: reply.application, scene: reply.scene };
    history.replaceState(history.state, "", `?${new URLSearchParams(target)}`);
    document.title = `${reply.scene} – ${reply.application}`;
  }
  root = reply.root;
  for (const key of reply.removed ?? []) {
    elements.delete(key);
    nodes.get(key)?.remove();
    nodes.delete(key);
    const field = fields.get(key);
    if (field && field.input.value !== field.base && !queue.some((item) => item.field === key)) showLost(field);
    fields.delete(key);
  }
  for (const element of reply.elements ?? []) {
    const role = nodes.get(element.key)?.dataset.role;
    if (role && role !== element.role) nodes.delete(element.key);
    elements.set(element.key, { ...element, actions: element.actions ?? [], children: element.children ?? [] });
  }
  refresh((reply.elements ?? []).map((element) => elements.get(element.key)));
  updateFields();
}

function connect(delay) {
  acknowledgedSinceStart = false;
  const source = new EventSource(`/events?${new URLSearchParams({ ...target, client })}`);
  const again = async (wait) => {
    source.close();
    online = false;
    updateStatus();
    await pause(wait);
    await listScenes();
    connect(Math.min(2 * wait, 2000));
  };
  source.addEventListener("scene", (event) => {
    delay = 100;
    online = true;
    signedOut = false;
    receive(JSON.parse(event.data));
    updateStatus();
  });
  source.addEventListener("saved", (event) => {
    const { performed: number, saved: level } = JSON.parse(event.data);
    durable = { number, level };
    updateStatus();
  });
  source.addEventListener("refused", (event) => { show(JSON.parse(event.data).message); delay = 2000; });
  source.addEventListener("error", () => again(delay));
  connect.leave = () => source.close();
}

async function listScenes() {
  try {
    const response = await fetch("/scenes");
    signedOut = response.status === 401;
    if (!response.ok) return;
    const { applications } = await response.json();
    const options = applications.flatMap((application) => application.scenes.map((scene) => {
      const value = new URLSearchParams({ application: application.bundleIdentifier, scene: scene.name });
      return make("option", { value }, `${application.bundleIdentifier} / ${scene.name}`);
    }));
    $("scenes").replaceChildren(...options);
    $("scenes").value = new URLSearchParams(target);
  } catch {
    // The server is not available. The stream reports this.
  }
}

$("scenes").addEventListener("change", () => { location.search = $("scenes").value; });

async function start() {
  const token = location.hash.slice(1);
  if (token) {
    const response = await fetch("/login", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(token),
    });
    history.replaceState(null, "", location.pathname + location.search);
    if (!response.ok) show("The link was used before or has expired. “reprise-web login” prints another link.");
  }
  await listScenes();
  connect(100);
}
start();
