internal import SystemPackage

/// Knows which watch of the kernel's is of which targets, and turns its events into ours.
///
/// Events are noted first, and settled when no more are there: so however many there were, each
/// target is looked at once.
struct WatchTable {
    /// A target, as long as somebody waits for its events.
    private struct Entry {
        /// The target as it was given, for events.
        var target: FileTarget
        /// The same with an absolute path.
        var absolute: FileTarget
        var mailbox: EventMailbox
        var sight: Sight

        func event(_ changes: FileChanges) -> FileEvent {
            FileEvent(target, changes, failure: sight.failure)
        }
    }

    /// What was noted of a target.
    private struct Note {
        var changes: FileChanges = []
        var isToLookAt = false
        var isUnmounted = false
    }

    private let inotify: Inotify
    private var entries: [Int: Entry] = [:]
    private var nextNumber = 0
    /// The numbers of the targets that use a watch.
    private var users: [CInt: Set<Int>] = [:]
    private var notes: [Int: Note] = [:]

    init(_ inotify: Inotify) { self.inotify = inotify }

    /// The mailboxes of all targets; some of them more than once.
    var mailboxes: [EventMailbox] { entries.values.map(\.mailbox) }

    /// How many watches there are.
    var watchCount: Int { users.count }

    /// Begins to watch a target.
    ///
    /// - Parameter absolute: the target with an absolute path.
    /// - Returns: the way to it, and the ways to what links among its entries stand for.
    mutating func add(
        _ target: FileTarget, absolute: FileTarget, for mailbox: EventMailbox
    ) throws(FileWatchError) -> [Route] {
        let sight = Sight(of: absolute, watching: inotify)
        let number = nextNumber
        nextNumber += 1
        entries[number] = Entry(
            target: target, absolute: absolute, mailbox: mailbox, sight: sight)
        use(sight.uses, insteadOf: [:], number)
        if let failure = sight.failure { throw failure }
        return [sight.route] + sight.links.values
    }

    /// Watches the targets of a mailbox no longer.
    mutating func remove(all mailbox: EventMailbox) {
        for (number, entry) in entries where entry.mailbox === mailbox {
            use([:], insteadOf: entry.sight.uses, number)
            entries[number] = nil
            notes[number] = nil
        }
    }

    /// Takes down what an event tells.
    mutating func note(_ event: InotifyEvent) {
        if event.mask.contains(.overflow) { return noteOverflow() }
        for number in users[event.watch] ?? [] {
            guard let use = entries[number]?.sight.uses[event.watch],
                let changes = use.changes(by: event)
            else { continue }
            notes[number, default: Note()].changes.formUnion(changes)
            // A file that was only written is still the same one.
            if event.mask != .closeWrite { notes[number, default: Note()].isToLookAt = true }
            if event.mask.contains(.unmount) { notes[number, default: Note()].isUnmounted = true }
        }
    }

    /// Takes down that there are other mounts than before.
    mutating func noteMounts() {
        for number in entries.keys { notes[number, default: Note()].isToLookAt = true }
    }

    private mutating func noteOverflow() {
        noteMounts()
        for number in entries.keys { notes[number, default: Note()].changes.insert(.lost) }
    }

    /// Looks at the targets of which something was noted, and tells what happened to them.
    mutating func settle() {
        for (number, entry) in entries where entry.sight.failure != nil {
            notes[number, default: Note()].isToLookAt = true
        }
        let noted = notes.sorted { $0.key < $1.key }
        notes = [:]
        for (number, note) in noted {
            guard let entry = entries[number] else { continue }
            let event = note.isToLookAt ? look(number, entry, note) : entry.event(note.changes)
            if !event.changes.isEmpty || event.failure != entry.sight.failure {
                entry.mailbox.put(event)
            }
        }
    }

    /// Tells of every target that nothing more is noticed of it.
    func fail(_ error: FileWatchError) {
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
            entry.mailbox.put(FileEvent(entry.target, .lost, failure: error))
        }
    }

    private mutating func look(_ number: Int, _ entry: Entry, _ note: Note) -> FileEvent {
        var sight = Sight(of: entry.absolute, watching: inotify)
        var event = FileEvent(entry.target, note.changes, failure: sight.failure)
        use(sight.uses, insteadOf: entry.sight.uses, number)
        if sight.failure != nil {
            sight.keep(entry.sight)
        } else {
            event.changes = entry.sight.changes(to: sight, told: note.changes) { route in
                note.isUnmounted || MountTable.current.lacksEnd(of: route)
            }
            if entry.sight.failure != nil { event.changes.insert(.lost) }
        }
        entries[number]?.sight = sight
        return event
    }

    private mutating func use(
        _ new: [CInt: WatchUse], insteadOf old: [CInt: WatchUse], _ number: Int
    ) {
        for watch in new.keys { users[watch, default: []].insert(number) }
        for watch in old.keys where new[watch] == nil {
            guard users[watch]?.remove(number) != nil, users[watch]?.isEmpty == true else {
                continue
            }
            users[watch] = nil
            inotify.remove(watch)
        }
    }
}
