import StateRestoration

/// States of an application's scenes, keyed by name, in the order the scenes were requested.
///
/// A saved scene that has not been requested is not in the table. Closed and failed scenes are removed if the table does
/// not need them (see ``HostedScenes/removeEndedScenes()``). In an exchange, new scenes replace scenes with the
/// same names. Until the exchange completes, an entry contains the states of both scenes. A turn for commands finds its
/// scenes in constant time, however many scenes there are.
struct SceneTable {
    /// Phase in the life cycle of a scene.
    enum State {
        /// The scene is waiting to be launched.
        ///
        /// If `isUserRequested` is `true`, the user requested the scene, and earlier crashes do not prevent its launch
        /// (L8).
        case waiting(isUserRequested: Bool)
        /// The scene's launch is waiting for an extended restoration to finish (R13).
        case launching(HostedScene)
        /// The scene accepts commands.
        case launched(HostedScene)
        /// The scene could not be launched.
        case failed(reason: String)
        /// The scene was closed in an orderly way. Its state remains saved (S3).
        case closed
    }

    private struct Entry {
        let name: RestorationIdentifier
        var state: State
        /// Whether the scene has been closed in an orderly way since the application's launch. Such a scene did not
        /// crash (R2).
        var wasClosed = false
        /// State that the scene had before its exchange, or `nil` if the scene is not being exchanged.
        var previousState: PreviousState?

        enum PreviousState {
            case absent
            case state(State)
        }
    }

    private var entries: [Entry] = []
    /// Indices of the entries, keyed by name.
    private var indexByName: [RestorationIdentifier: Int] = [:]
    /// Names of the scenes that are waiting to be launched, in launch order.
    private var launchQueue: ArraySlice<RestorationIdentifier> = []
    /// Scene whose launch is waiting for an extended restoration to finish (R13), or `nil` if no launch is waiting.
    private(set) var launchingScene: HostedScene?

    /// Returns the state of a scene, or `nil` if the scene is not in the table.
    subscript(name: RestorationIdentifier) -> State? { entry(name)?.state }

    /// Names of all scenes in the table.
    var names: [RestorationIdentifier] { entries.map(\.name) }

    /// Names of the scenes that are waiting to be launched, in launch order.
    var waitingNames: [RestorationIdentifier] { Array(launchQueue) }

    /// Whether any scene is waiting to be launched or waiting for its extended restoration to finish.
    var isLaunching: Bool { launchingScene != nil || !launchQueue.isEmpty }

    /// Scenes that accept commands. Scenes that are being exchanged are not included.
    var launchedScenes: [HostedScene] {
        entries.compactMap { entry in
            if case .launched(let scene) = entry.state, entry.previousState == nil {
                scene
            } else {
                nil
            }
        }
    }

    /// Scenes whose callbacks can run: launched scenes, the scene that is being launched, and scenes that are being
    /// exchanged.
    var liveScenes: [HostedScene] {
        entries.flatMap { entry in
            var states = [entry.state]
            if case .state(let previousState) = entry.previousState { states.append(previousState) }
            return states.compactMap(\.scene)
        }
    }

    /// Names of the scenes that could not be launched, with the reasons.
    var failures: [(name: RestorationIdentifier, reason: String)] {
        entries.compactMap { entry in
            if case .failed(let reason) = entry.state { (entry.name, reason) } else { nil }
        }
    }

    /// Number of scenes in the table.
    var count: Int { entries.count }

    // MARK: Launching

    /// Adds a scene to the end of the launch queue.
    mutating func scheduleLaunch(for name: RestorationIdentifier, isUserRequested: Bool = false) {
        setState(.waiting(isUserRequested: isUserRequested), for: name)
        updateEntry(name) { $0.previousState = nil }
    }

    /// Replaces all entries with entries for scenes that are waiting to be launched.
    ///
    /// Call this method when the application is launched.
    mutating func beginLaunch(of names: [RestorationIdentifier]) {
        replaceEntries(names.map { Entry(name: $0, state: .waiting(isUserRequested: false)) })
    }

    /// Marks all scenes in the launch queue as requested by the user.
    mutating func markWaitingAsUserRequested() {
        for name in launchQueue { updateEntry(name) { $0.state = .waiting(isUserRequested: true) } }
    }

    /// Next scene to launch, or `nil` if no scene is waiting or another scene is being launched.
    var nextLaunch: (name: RestorationIdentifier, isUserRequested: Bool)? {
        guard launchingScene == nil, let name = launchQueue.first,
            case .waiting(let isUserRequested) = self[name]
        else { return nil }
        return (name, isUserRequested)
    }

    /// Marks a scene as being launched. The launch continues until the scene's restoration has completed.
    mutating func markLaunching(_ scene: HostedScene) {
        setState(.launching(scene), for: scene.name)
    }

    /// Marks the launching scene as launched, if its launch has completed.
    ///
    /// - Returns: The launched scene, or `nil` if no launch has completed.
    mutating func completeLaunch() -> HostedScene? {
        guard let completedScene = launchingScene, completedScene.scene.isLaunched else {
            return nil
        }
        setState(.launched(completedScene), for: completedScene.name)
        return completedScene
    }

    /// Marks a scene as failed, because it could not be launched.
    mutating func markFailed(_ name: RestorationIdentifier, _ reason: String) {
        setState(.failed(reason: reason), for: name)
    }

    // MARK: Closing

    /// Marks a scene as closed in an orderly way.
    mutating func markClosed(_ name: RestorationIdentifier) {
        setState(.closed, for: name)
        updateEntry(name) { $0.wasClosed = true }
    }

    /// Returns whether a scene has been closed in an orderly way since the application's launch.
    func wasClosed(_ name: RestorationIdentifier) -> Bool { entry(name)?.wasClosed ?? false }

    /// Clears the launch queue.
    ///
    /// A scene whose launch has not completed is closed without being saved (P17).
    mutating func stopLaunching() {
        if let launchingScene, !launchingScene.scene.isLaunched { launchingScene.close() }
        replaceEntries(
            entries.filter { entry in
                switch entry.state {
                case .waiting: false
                case .launching(let scene): scene.scene.isLaunched
                case .launched, .failed, .closed: true
                }
            })
    }

    /// Closes all scenes and removes them from the table.
    ///
    /// - Parameter isOrderly: Whether to notify the delegates of scenes that accept commands.
    mutating func closeAndRemoveAll(isOrderly: Bool = false) {
        for scene in launchedScenes where isOrderly { scene.terminate() }
        for scene in liveScenes { scene.close() }
        replaceEntries([])
    }

    // MARK: Exchange

    /// Begins an exchange, in which scenes are replaced by new scenes with the same names.
    ///
    /// - Parameters:
    ///   - names: The names of the scenes to launch.
    ///   - closingNames: The names of other scenes to close after the new scenes have been launched.
    mutating func beginExchange(
        of names: [RestorationIdentifier], closing closingNames: [RestorationIdentifier]
    ) {
        for name in names {
            let previousState = self[name].map(Entry.PreviousState.state) ?? .absent
            setState(.waiting(isUserRequested: false), for: name)
            updateEntry(name) { $0.previousState = previousState }
        }
        for index in entries.indices where closingNames.contains(entries[index].name) {
            entries[index].previousState = .state(entries[index].state)
            entries[index].state = .closed
        }
    }

    /// Returns whether a scene is being exchanged. Commands that address such a scene wait.
    func isBeingExchanged(_ name: RestorationIdentifier) -> Bool {
        entry(name)?.previousState != nil
    }

    /// Scenes that an exchange has replaced or closed, and scenes that now accept commands.
    typealias ExchangedScenes = (oldScenes: [HostedScene], newScenes: [HostedScene])

    /// Replaces the previous scenes with the new scenes, if all new scenes have been launched.
    ///
    /// - Returns: The scenes, or `nil` if a new scene has not been launched.
    mutating func completeExchange() -> ExchangedScenes? {
        for entry in entries where entry.previousState != nil {
            switch entry.state {
            case .launched, .closed: break
            case .waiting, .launching, .failed: return nil
            }
        }
        var result: ExchangedScenes = ([], [])
        for index in entries.indices {
            guard let previousState = entries[index].previousState else { continue }
            if case .state(.launched(let scene)) = previousState { result.oldScenes.append(scene) }
            if case .launched(let scene) = entries[index].state { result.newScenes.append(scene) }
            entries[index].previousState = nil
        }
        return result
    }

    /// Closes the new scenes and restores the state from before the exchange.
    ///
    /// - Returns: The names of the scenes in the exchange.
    mutating func abandonExchange() -> [RestorationIdentifier] {
        let exchangedNames = entries.filter { $0.previousState != nil }.map(\.name)
        replaceEntries(
            entries.compactMap { entry in
                guard let previousState = entry.previousState else { return entry }
                entry.state.scene?.close()
                guard case .state(let state) = previousState else { return nil }
                return Entry(name: entry.name, state: state, wasClosed: entry.wasClosed)
            })
        return exchangedNames
    }

    // MARK: Entries

    /// Removes closed and failed scenes that satisfy a predicate from the table.
    mutating func removeEndedScenes(
        where isRemoved: (_ name: RestorationIdentifier, _ isFailed: Bool) -> Bool
    ) {
        entries.removeAll { entry in
            if entry.previousState != nil { return false }
            switch entry.state {
            case .closed: return isRemoved(entry.name, false)
            case .failed: return isRemoved(entry.name, true)
            case .waiting, .launching, .launched: return false
            }
        }
        indexByName = Dictionary(
            uniqueKeysWithValues: entries.indices.map { (entries[$0].name, $0) })
    }

    private func entry(_ name: RestorationIdentifier) -> Entry? {
        indexByName[name].map { entries[$0] }
    }

    private mutating func setState(_ state: State, for name: RestorationIdentifier) {
        if launchingScene?.name == name { launchingScene = nil }
        if case .waiting = self[name], let index = launchQueue.firstIndex(of: name) {
            if index == launchQueue.startIndex {
                launchQueue.removeFirst()
            } else {
                launchQueue.remove(at: index)
            }
        }
        if indexByName[name] == nil {
            indexByName[name] = entries.count
            entries.append(Entry(name: name, state: state))
        }
        updateEntry(name) { $0.state = state }
        apply(state, of: name)
    }

    /// Updates ``launchQueue`` and ``launchingScene`` to match an entry's new state.
    private mutating func apply(_ state: State, of name: RestorationIdentifier) {
        switch state {
        case .waiting: launchQueue.append(name)
        case .launching(let scene): launchingScene = scene
        case .launched, .failed, .closed: break
        }
    }

    private mutating func updateEntry(_ name: RestorationIdentifier, _ body: (inout Entry) -> Void)
    {
        if let index = indexByName[name] { body(&entries[index]) }
    }

    private mutating func replaceEntries(_ newEntries: [Entry]) {
        entries = newEntries
        (indexByName, launchQueue, launchingScene) = ([:], [], nil)
        for (index, entry) in entries.enumerated() {
            indexByName[entry.name] = index
            apply(entry.state, of: entry.name)
        }
    }
}

extension SceneTable.State {
    /// The hosted scene if the scene is running or being launched, or `nil` otherwise.
    fileprivate var scene: HostedScene? {
        switch self {
        case .launching(let scene), .launched(let scene): scene
        case .waiting, .failed, .closed: nil
        }
    }
}
