import StateRestoration

/// The scenes of an application from its launch to its end: one state for each name, in the order
/// in which they were asked for.
///
/// A scene that is saved and was not asked for is not in the table. While scenes give way to others
/// of the same names (an exchange) an entry keeps the state from before beside that of the new
/// scene.
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

    /// The state of a scene; nil: it is not in the table.
    subscript(name: RestorationIdentifier) -> State? {
        entries.first { $0.name == name }?.state
    }

    /// The names of all entries.
    var names: [RestorationIdentifier] { entries.map(\.name) }

    /// The scenes that wait for their launch, in the order in which they are launched.
    var waiting: [RestorationIdentifier] {
        entries.compactMap { if case .waiting = $0.state { $0.name } else { nil } }
    }

    /// The scene whose launch waits for its restoration to complete (R13).
    var launching: HostedScene? {
        for entry in entries { if case .launching(let scene) = entry.state { return scene } }
        return nil
    }

    /// Whether a scene waits for its launch, or for its restoration to complete.
    var isLaunching: Bool { launching != nil || !waiting.isEmpty }

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
        let hasEnded = self.hasEnded(name)
        entries.removeAll { $0.name == name }
        entries.append(Entry(name: name, state: .waiting(isAsked: isAsked), hasEnded: hasEnded))
    }

    /// Scenes wait for their launch, and nothing is known of any other: the application is
    /// launched.
    mutating func beginLaunch(of names: [RestorationIdentifier]) {
        entries = names.map { Entry(name: $0, state: .waiting(isAsked: false)) }
    }

    /// A person asks for all scenes that wait for their launch.
    mutating func askForWaiting() {
        for name in waiting { set(.waiting(isAsked: true), for: name) }
    }

    /// The scene to launch now; nil if none waits, or one is still in restoration.
    var next: (name: RestorationIdentifier, isAsked: Bool)? {
        if launching != nil { return nil }
        for entry in entries {
            if case .waiting(let isAsked) = entry.state { return (entry.name, isAsked) }
        }
        return nil
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
    func hasEnded(_ name: RestorationIdentifier) -> Bool {
        entries.contains { $0.name == name && $0.hasEnded }
    }

    /// No scene waits for its launch any more, and the one in restoration ends without being saved
    /// (P17), unless its launch has completed.
    mutating func stopLaunching() {
        for entry in entries {
            if case .launching(let scene) = entry.state, !scene.scene.isLaunched { scene.end() }
        }
        entries.removeAll { entry in
            switch entry.state {
            case .waiting: true
            case .launching(let scene): !scene.scene.isLaunched
            case .launched, .failed, .ended: false
            }
        }
    }

    /// All scenes end.
    ///
    /// - Parameter isOrderly: whether the delegates of those that take commands are told.
    mutating func endAll(isOrderly: Bool = false) {
        for scene in launched where isOrderly { scene.terminate() }
        for scene in live { scene.end() }
        entries = []
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
    func isExchanged(_ name: RestorationIdentifier) -> Bool {
        entries.contains { $0.name == name && $0.former != nil }
    }

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
        entries = entries.compactMap { entry in
            guard let former = entry.former else { return entry }
            entry.state.scene?.end()
            guard case .state(let state) = former else { return nil }
            return Entry(name: entry.name, state: state, hasEnded: entry.hasEnded)
        }
        return covered
    }

    // MARK: Entries

    private mutating func set(_ state: State, for name: RestorationIdentifier) {
        if !entries.contains(where: { $0.name == name }) {
            entries.append(Entry(name: name, state: state))
        }
        change(name) { $0.state = state }
    }

    private mutating func change(_ name: RestorationIdentifier, _ body: (inout Entry) -> Void) {
        guard let index = entries.firstIndex(where: { $0.name == name }) else { return }
        body(&entries[index])
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
