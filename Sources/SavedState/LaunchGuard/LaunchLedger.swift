package import ExactText

/// Launch records of all scenes in a state directory (L2, L3, L8).
///
/// The ledger is a value type without side effects:
///
/// - ``apply(_:)`` applies an event.
/// - ``recordProcessEnd(_:bootID:)`` determines and counts how the previous process ended.
/// - ``decide(_:identity:hasState:limits:)`` decides what to do with a scene.
package struct LaunchLedger: Sendable, Equatable {
    /// Launch that is in progress, or `nil` if there is none.
    package internal(set) var launch: LaunchInProgress?
    /// Records for each scene. Scenes without records are omitted.
    package private(set) var scenes: [SceneKey: SceneLaunches] = [:]
    /// Last problem with each application.
    package private(set) var problems: [ExactString: RecordedProblem] = [:]
    /// Identifier of the process that wrote the ledger. Each process has a different identifier.
    package private(set) var processID: String

    /// Maximum number of problem-free scenes for which records are retained.
    static let maximumScenesWithoutProblems = 4096

    /// Applies an event.
    package mutating func apply(_ event: LaunchEvent) {
        switch event {
        case .launching(let launch):
            self.launch = launch
            updateLaunches(of: launch.scene) { $0.beginLaunch(by: launch.identity) }
        case .stage(let stage): launch?.stage = stage
        case .launched(let scene, let identity, let time):
            launch = nil
            updateLaunches(of: scene) { $0.recordLaunch(by: identity, at: time) }
        case .abandoned: launch = nil
        case .survivedGracePeriod(let scene): updateLaunches(of: scene) { $0.recordSurvival() }
        case .closed(let scene):
            let hasTooManyScenes = scenes.count > 2 * Self.maximumScenesWithoutProblems
            updateLaunches(of: scene) {
                $0.recordClose()
                if hasTooManyScenes, $0.hasNoProblems { $0 = SceneLaunches() }
            }
        case .quarantined(let scene, let state):
            updateLaunches(of: scene) { $0.quarantined = state }
        case .removedFromArchive(let scene):
            updateLaunches(of: scene) { $0.recordRemovalFromArchive() }
        case .refused(let scene, let refusal): updateLaunches(of: scene) { $0.stopped = refusal }
        case .restoredFromQuarantine(let scene): updateLaunches(of: scene) { $0.quarantined = nil }
        case .replaced(let scene, let generation):
            updateLaunches(of: scene) { $0.replaced = generation }
        case .changed(let scene): updateLaunches(of: scene) { $0.recordUserChange() }
        case .newState(let scene): updateLaunches(of: scene) { $0.recordNewState() }
        case .reinstated(let scene, var launches):
            launches.limitCounts()
            updateLaunches(of: scene) { $0 = launches }
        case .fellBack(let scene): updateLaunches(of: scene) { $0.recordFallback() }
        case .problem(let application, let problem): problems[application] = problem
        case .forgotten(let application):
            problems[application] = nil
            scenes = scenes.filter { $0.key.application != application }
            if launch?.scene.application == application { launch = nil }
        }
    }

    /// Hands the ledger over to another process. Call this function after ``recordProcessEnd(_:bootID:)``.
    mutating func handOver(to processID: String) {
        self.processID = processID
        // Problems that were recorded before the previous process started are removed.
        problems = problems.filter { $0.value.isEarlier != true }.mapValues {
            var problem = $0
            problem.isEarlier = true
            return problem
        }
        for scene in scenes.keys { updateLaunches(of: scene) { $0.launchedAt = nil } }
        if scenes.count <= Self.maximumScenesWithoutProblems { return }
        let scenesWithoutProblems = scenes.filter { $0.value.hasNoProblems }.map(\.key).sorted()
        for scene in scenesWithoutProblems.dropFirst(Self.maximumScenesWithoutProblems) {
            scenes[scene] = nil
        }
    }

    /// Updates the records of a scene, and removes empty records.
    mutating func updateLaunches(of scene: SceneKey, _ body: (inout SceneLaunches) -> Void) {
        var launches = scenes[scene] ?? SceneLaunches()
        body(&launches)
        scenes[scene] = launches == SceneLaunches() ? nil : launches
    }
}

// MARK: Storage

extension LaunchLedger: Codable {
    private struct StoredLedger: Codable {
        static let version = 1

        struct Entry: Codable {
            var scene: SceneKey
            var launches: SceneLaunches
        }

        /// Scenes of one application that were launched by the same programs and have no other records, except possibly
        /// launch times.
        ///
        /// A group contains a launch time either for every scene or for none.
        struct Group: Codable {
            struct Key: Hashable, Comparable {
                var application: String
                var identity: ProgramIdentity?
                var goodIdentity: ProgramIdentity?
                var isLaunched: Bool

                private var sortKeys: [ExactString] {
                    ([application, identity?.rawValue ?? "", goodIdentity?.rawValue ?? ""]
                        + (isLaunched ? ["launched"] : [])).map { ExactString($0) }
                }

                static func < (one: Key, other: Key) -> Bool {
                    one.sortKeys.lexicographicallyPrecedes(other.sortKeys)
                }
            }

            var application: String
            var identity: ProgramIdentity?
            var goodIdentity: ProgramIdentity?
            /// Names of the scenes, each followed by a slash. A scene whose name contains a slash is never in a group.
            var scenes: String
            var launchedAt: [UInt64]?
        }

        var version = Self.version
        var process: String
        var mark: LaunchInProgress?
        var scenes: [Entry]
        /// Groups of scenes, or `nil` if there are no groups.
        var groups: [Group]?
        /// Problems, keyed by application, or `nil` if there are none or an older version wrote the file.
        var problems: [String: RecordedProblem]?
    }

    package init(from decoder: any Decoder) throws {
        let storedLedger = try StoredLedger(from: decoder)
        guard storedLedger.version == StoredLedger.version else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "its version is \(storedLedger.version)"))
        }
        processID = storedLedger.process
        launch = storedLedger.mark
        for (application, problem) in storedLedger.problems ?? [:] {
            problems[application] = problem
        }
        for entry in storedLedger.scenes {
            var launches = entry.launches
            launches.limitCounts()
            scenes[entry.scene] = launches
        }
        for group in storedLedger.groups ?? [] { add(group) }
    }

    /// Adds the scenes in a group.
    ///
    /// If the group contains no launch times, scenes beyond the maximum number are ignored.
    private mutating func add(_ group: StoredLedger.Group) {
        var launches = SceneLaunches()
        launches.identity = group.identity
        launches.goodIdentity = group.goodIdentity
        var times = group.launchedAt.map { $0[...] }
        var remainingScenes = group.scenes.utf8[...]
        while let end = remainingScenes.firstIndex(of: UInt8(ascii: "/")) {
            if times == nil, scenes.count >= Self.maximumScenesWithoutProblems { return }
            launches.launchedAt = times?.popFirst()
            let scene = SceneKey(
                application: group.application, scene: String(Substring(remainingScenes[..<end])))
            scenes[scene] = launches
            remainingScenes = remainingScenes[end...].dropFirst()
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var entries: [StoredLedger.Entry] = []
        var groups: [StoredLedger.Group.Key: [(scene: String, launchedAt: UInt64?)]] = [:]
        for (scene, launches) in scenes.sorted(by: { $0.key < $1.key }) {
            var problemFreeLaunches = launches
            problemFreeLaunches.launchedAt = nil
            guard problemFreeLaunches.hasNoProblems, !scene.scene.utf8.contains(UInt8(ascii: "/"))
            else {
                entries.append(StoredLedger.Entry(scene: scene, launches: launches))
                continue
            }
            let key = StoredLedger.Group.Key(
                application: scene.application, identity: launches.identity,
                goodIdentity: launches.goodIdentity, isLaunched: launches.launchedAt != nil)
            groups[key, default: []].append((scene.scene, launches.launchedAt))
        }
        let storedGroups = groups.sorted { $0.key < $1.key }.map { key, scenes in
            StoredLedger.Group(
                application: key.application, identity: key.identity,
                goodIdentity: key.goodIdentity,
                scenes: scenes.map { $0.scene + "/" }.joined(),
                launchedAt: key.isLaunched ? scenes.compactMap(\.launchedAt) : nil)
        }
        var storedProblems: [String: RecordedProblem] = [:]
        for (application, problem) in problems { storedProblems[application.text] = problem }
        try StoredLedger(
            process: processID, mark: launch, scenes: entries,
            groups: storedGroups.isEmpty ? nil : storedGroups,
            problems: storedProblems.isEmpty ? nil : storedProblems
        ).encode(to: encoder)
    }
}
