import StateRestoration

/// The scenes of an application from its launch to its end: one state for each name, in the order
/// in which they were asked for.
///
/// A scene that is saved and was not asked for is not in the table. While scenes give way to others
/// of the same names (an exchange) an entry keeps the state from before beside that of the new
/// scene. What a turn for commands asks takes the same time for any number of scenes.
struct SceneTable {
    /// Where a scene is in its life.
    enum State {
        /// Its launch waits for its turn.
        ///
        /// `isAsked`: a person asked for it, whatever speaks against its launch (L8).
        case waiting(isAsked: Bool)
        /// Its launch waits for its restoration to complete (R13).
        case launching(HostedScene)
        /// It takes commands.
        case launched(HostedScene)
        /// It could not be launched.
        case failed(reason: String)
        /// It ended in an orderly way, and what is saved of it stays (S3).
        case ended
    }

    private struct Entry {
        let name: RestorationIdentifier
        var state: State
        /// Whether the scene has ended in an orderly way since the application's launch, and so did
        /// not crash (R2).
        var hasEnded = false
        /// The state from before the exchange that covers it; nil: none does.
        var former: Former?

        enum Former {
            case absent
            case state(State)
        }
    }

    private var entries: [Entry] = []
    /// Where the entries are, by name.
    private var places: [RestorationIdentifier: Int] = [:]
    /// The scenes that wait for their launch, in the order in which they are launched.
    private var queue: ArraySlice<RestorationIdentifier> = []
    /// The scene whose launch waits for its restoration to complete (R13).
    private(set) var launching: HostedScene?

    /// The state of a scene; nil: it is not in the table.
    subscript(name: RestorationIdentifier) -> State? { entry(name)?.state }

    /// The names of all entries.
    var names: [RestorationIdentifier] { entries.map(\.name) }

    /// The scenes that wait for their launch, in the order in which they are launched.
    var waiting: [RestorationIdentifier] { Array(queue) }

    /// Whether a scene waits for its launch, or for its restoration to complete.
    var isLaunching: Bool { launching != nil || !queue.isEmpty }

    /// The scenes that take commands; none of an exchange does.
    var launched: [HostedScene] {
        entries.compactMap { entry in
            if case .launched(let scene) = entry.state, entry.former == nil { scene } else { nil }
        }
    }

    /// The scenes that run callbacks: the launched ones, the one in restoration, and those of an
    /// exchange.
    var live: [HostedScene] {
        entries.flatMap { entry in
            var states = [entry.state]
            if case .state(let former) = entry.former { states.append(former) }
            return states.compactMap(\.scene)
        }
    }

    /// The reasons of all scenes that could not be launched.
    var failures: [(name: RestorationIdentifier, reason: String)] {
        entries.compactMap { entry in
            if case .failed(let reason) = entry.state { (entry.name, reason) } else { nil }
        }
    }

    // MARK: Launching

    /// A scene waits for its launch, behind those that wait already.
    mutating func wait(for name: RestorationIdentifier, isAsked: Bool = false) {
        set(.waiting(isAsked: isAsked), for: name)
        change(name) { $0.former = nil }
    }

    /// Scenes wait for their launch, and nothing is known of any other: the application is
    /// launched.
    mutating func beginLaunch(of names: [RestorationIdentifier]) {
        replaceEntries(names.map { Entry(name: $0, state: .waiting(isAsked: false)) })
    }

    /// A person asks for all scenes that wait for their launch.
    mutating func askForWaiting() {
        for name in queue { change(name) { $0.state = .waiting(isAsked: true) } }
    }

    /// The scene to launch now; nil if none waits, or one is still in restoration.
    var next: (name: RestorationIdentifier, isAsked: Bool)? {
        guard launching == nil, let name = queue.first, case .waiting(let isAsked) = self[name]
        else { return nil }
        return (name, isAsked)
    }

    /// The scene's launch goes on until its restoration is complete.
    mutating func noteLaunching(_ scene: HostedScene) {
        set(.launching(scene), for: scene.name)
    }

    /// The scene in restoration, if its launch has completed; it is launched then.
    mutating func takeCompleted() -> HostedScene? {
        guard let completed = launching, completed.scene.isLaunched else { return nil }
        set(.launched(completed), for: completed.name)
        return completed
    }

    /// A scene could not be launched.
    mutating func noteFailed(_ name: RestorationIdentifier, _ reason: String) {
        set(.failed(reason: reason), for: name)
    }

    // MARK: Ending

    /// A scene has ended in an orderly way.
    mutating func noteEnded(_ name: RestorationIdentifier) {
        set(.ended, for: name)
        change(name) { $0.hasEnded = true }
    }

    /// Whether a scene has ended in an orderly way since the application's launch.
    func hasEnded(_ name: RestorationIdentifier) -> Bool { entry(name)?.hasEnded ?? false }

    /// No scene waits for its launch any more, and the one in restoration ends without being saved
    /// (P17), unless its launch has completed.
    mutating func stopLaunching() {
        if let launching, !launching.scene.isLaunched { launching.end() }
        replaceEntries(
            entries.filter { entry in
                switch entry.state {
                case .waiting: false
                case .launching(let scene): scene.scene.isLaunched
                case .launched, .failed, .ended: true
                }
            })
    }

    /// All scenes end.
    ///
    /// - Parameter isOrderly: whether the delegates of those that take commands are told.
    mutating func endAll(isOrderly: Bool = false) {
        for scene in launched where isOrderly { scene.terminate() }
        for scene in live { scene.end() }
        replaceEntries([])
    }

    // MARK: Exchange

    /// Scenes begin to give way to others of the same names, which wait for their launch.
    ///
    /// - Parameters:
    ///   - names: the scenes to launch.
    ///   - ending: scenes that end when the others are launched.
    mutating func beginExchange(
        of names: [RestorationIdentifier], ending: [RestorationIdentifier]
    ) {
        for name in names {
            let former = self[name].map(Entry.Former.state) ?? .absent
            set(.waiting(isAsked: false), for: name)
            change(name) { $0.former = former }
        }
        for index in entries.indices where ending.contains(entries[index].name) {
            entries[index].former = .state(entries[index].state)
            entries[index].state = .ended
        }
    }

    /// Whether an exchange covers a scene of that name: commands to it wait.
    func isExchanged(_ name: RestorationIdentifier) -> Bool { entry(name)?.former != nil }

    /// The new scenes take the places of the old ones, if every one of them is launched.
    ///
    /// - Returns: the scenes that gave way, and those that take commands now; nil if one is not
    ///   launched.
    mutating func completeExchange() -> (old: [HostedScene], new: [HostedScene])? {
        for entry in entries where entry.former != nil {
            switch entry.state {
            case .launched, .ended: break
            case .waiting, .launching, .failed: return nil
            }
        }
        var result: (old: [HostedScene], new: [HostedScene]) = ([], [])
        for index in entries.indices {
            guard let former = entries[index].former else { continue }
            if case .state(.launched(let scene)) = former { result.old.append(scene) }
            if case .launched(let scene) = entries[index].state { result.new.append(scene) }
            entries[index].former = nil
        }
        return result
    }

    /// The new scenes end, and everything is as before the exchange.
    ///
    /// - Returns: the names that it covered.
    mutating func abandonExchange() -> [RestorationIdentifier] {
        let covered = entries.filter { $0.former != nil }.map(\.name)
        replaceEntries(
            entries.compactMap { entry in
                guard let former = entry.former else { return entry }
                entry.state.scene?.end()
                guard case .state(let state) = former else { return nil }
                return Entry(name: entry.name, state: state, hasEnded: entry.hasEnded)
            })
        return covered
    }

    // MARK: Entries

    private func entry(_ name: RestorationIdentifier) -> Entry? { places[name].map { entries[$0] } }

    private mutating func set(_ state: State, for name: RestorationIdentifier) {
        if launching?.name == name { launching = nil }
        if case .waiting = self[name], let index = queue.firstIndex(of: name) {
            if index == queue.startIndex { queue.removeFirst() } else { queue.remove(at: index) }
        }
        if places[name] == nil {
            places[name] = entries.count
            entries.append(Entry(name: name, state: state))
        }
        change(name) { $0.state = state }
        note(state, of: name)
    }

    /// What an entry's state is to others.
    private mutating func note(_ state: State, of name: RestorationIdentifier) {
        switch state {
        case .waiting: queue.append(name)
        case .launching(let scene): launching = scene
        case .launched, .failed, .ended: break
        }
    }

    private mutating func change(_ name: RestorationIdentifier, _ body: (inout Entry) -> Void) {
        if let place = places[name] { body(&entries[place]) }
    }

    private mutating func replaceEntries(_ new: [Entry]) {
        entries = new
        (places, queue, launching) = ([:], [], nil)
        for (place, entry) in entries.enumerated() {
            places[entry.name] = place
            note(entry.state, of: entry.name)
        }
    }
}

extension SceneTable.State {
    /// The scene, if there is a live one.
    fileprivate var scene: HostedScene? {
        switch self {
        case .launching(let scene), .launched(let scene): scene
        case .waiting, .failed, .ended: nil
        }
    }
}
