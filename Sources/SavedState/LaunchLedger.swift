/// What is known of the launches of every scene below a state directory (L2, L3, L8): the scene that
/// is being launched now, and what became of earlier launches.
///
/// Pure values. ``apply(_:)`` takes in what happens, ``countEnd(_:boot:)`` how the process before ended, and
/// ``decide(_:identity:hasState:limits:)`` says what is to be done with a scene.
package struct LaunchLedger: Sendable, Equatable {
    /// The scene that is being launched; nil: none is.
    package internal(set) var mark: LaunchMark?
    /// What is known of each scene; those that nothing is known of are left out.
    package private(set) var scenes: [SceneKey: SceneLaunches] = [:]
    /// The process that wrote this, told apart from all others.
    package private(set) var process: String

    /// A ledger of a process, with nothing in it.
    package init(process: String) {
        self.process = process
    }

    /// The most scenes of which no more is kept than which program last launched them well.
    static let mostQuietScenes = 4096

    /// Takes in something that happened.
    package mutating func apply(_ event: LaunchEvent) {
        switch event {
        case .launching(let mark):
            self.mark = mark
            change(mark.scene) { $0.begin(mark.identity) }
        case .stage(let stage):
            mark?.stage = stage
        case .launched(let scene, let identity, let time):
            mark = nil
            change(scene) { $0.noteLaunched(by: identity, at: time) }
        case .abandoned:
            mark = nil
        case .endured(let scene):
            change(scene) { $0.noteEndured() }
        case .ended(let scene):
            change(scene) { $0.noteEnded() }
        case .quarantined(let scene, let state):
            change(scene) { $0.quarantined = state }
        case .takenOut(let scene):
            change(scene) { $0.noteTakenOut() }
        case .stopped(let scene, let stop):
            change(scene) { $0.stopped = stop }
        case .putBack(let scene):
            change(scene) { $0.quarantined = nil }
        case .replaced(let scene, let generation):
            change(scene) { $0.replaced = generation }
        case .newState(let scene):
            change(scene) { $0.noteNewState() }
        case .reinstated(let scene, var launches):
            launches.limitCounts()
            change(scene) { $0 = launches }
        case .fellBack(let scene):
            change(scene) { $0.noteFellBack() }
        case .forgotten(let application):
            scenes = scenes.filter { $0.key.application != application }
            if mark?.scene.application == application { mark = nil }
        }
    }

    /// Another process takes the ledger over, after ``countEnd(_:boot:)``.
    mutating func handOver(to process: String) {
        self.process = process
        mark = nil
        for scene in scenes.keys { change(scene) { $0.launchedAt = nil } }
        let quiet = scenes.filter { $0.value.isQuiet }.map(\.key).sorted()
        for scene in quiet.dropFirst(Self.mostQuietScenes) { scenes[scene] = nil }
    }

    mutating func change(_ scene: SceneKey, _ body: (inout SceneLaunches) -> Void) {
        var launches = scenes[scene] ?? SceneLaunches()
        body(&launches)
        scenes[scene] = launches == SceneLaunches() ? nil : launches
    }
}

// MARK: Storage

extension LaunchLedger: Codable {
    private struct Stored: Codable {
        static let version = 1

        struct Entry: Codable {
            var scene: SceneKey
            var launches: SceneLaunches
        }

        var version = Self.version
        var process: String
        var mark: LaunchMark?
        var scenes: [Entry]
    }

    package init(from decoder: any Decoder) throws {
        let stored = try Stored(from: decoder)
        guard stored.version == Stored.version else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "its version is \(stored.version)"))
        }
        process = stored.process
        mark = stored.mark
        for entry in stored.scenes {
            var launches = entry.launches
            launches.limitCounts()
            scenes[entry.scene] = launches
        }
    }

    package func encode(to encoder: any Encoder) throws {
        let entries = scenes.sorted { $0.key < $1.key }
            .map { Stored.Entry(scene: $0.key, launches: $0.value) }
        try Stored(process: process, mark: mark, scenes: entries).encode(to: encoder)
    }
}
