import ExactText
package import LinuxIO

extension LaunchLedger {
    /// Determines how the process that wrote the ledger ended, and updates the counts.
    ///
    /// - A stamp of that process with a place counts only against the scene of that place.
    /// - A stamp whose place contains no scene, because a thread was reading files, counts against no scene.
    /// - A stamp without a place counts against the scene that was being launched. If there is none, it counts
    ///   against the only scene that the process had launched.
    /// - Without a stamp, a launch in progress counts as killed.
    ///
    /// - Parameter boot: Identifier of the machine's current boot.
    package mutating func countEnd(_ lines: [CrashStamp.Line], boot: String) {
        if let line = lines.first(where: { $0.owner == process }) {
            countEnd(line)
        } else if let mark {
            let isOtherStart = !boot.isEmpty && !mark.boot.isEmpty && mark.boot != boot
            let end = isOtherStart ? "the machine went down" : "the process was killed"
            change(mark.scene) {
                $0.kills += 1
                $0.lastEnd = "\(end) at the stage \(mark.stage)"
            }
        }
        mark = nil
    }

    private mutating func countEnd(_ line: CrashStamp.Line) {
        if let place = line.place {
            guard let scene = scene(of: place.subject) else { return }
            let step = line.step.map { ", \($0)" } ?? ""
            let end = "\(line.end) at the stage \(place.stage)\(step)"
            if mark?.scene == scene, place.stage.hasPrefix("launch-") {
                recordCrash(of: scene, end)
            } else {
                change(scene) { $0.recordDeath(end, at: line.time) }
            }
        } else if let mark {
            recordCrash(of: mark.scene, "\(line.end) after the stage \(mark.stage)")
        } else if case .signal = line.end {
            let launched = scenes.filter { $0.value.launchedAt != nil }.keys
            guard launched.count == 1, let scene = launched.first else { return }
            change(scene) { $0.recordDeath("\(line.end)", at: line.time) }
        }
    }

    /// Returns the scene that a place of the stamp refers to, or `nil` if it refers to no scene.
    private func scene(of subject: String) -> SceneKey? {
        if let mark, mark.scene.subject == subject { return mark.scene }
        return scenes.keys.first { $0.subject == subject } ?? SceneKey(subject: subject)
    }

    private mutating func recordCrash(of scene: SceneKey, _ end: String) {
        change(scene) {
            $0.crashes += 1
            $0.lastEnd = end
        }
    }
}

extension SceneKey {
    /// Text that identifies the scene in a stamp.
    ///
    /// A scene name from an archive may not fit in a line. In this case, a checksum replaces the name.
    var subject: String {
        let name = scene.utf8
        let isPlain =
            name.count <= Self.maximumBytes && name.first != UInt8(ascii: "@")
            && name.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        if isPlain { return "\(application)\t\(scene)" }
        let sum = checksum(Array(name))
        return "\(application)\t@\(String(sum, radix: 16))"
    }

    /// Maximum length of a scene's name in a stamp. Programs cannot create longer names (I5).
    private static let maximumBytes = 255

    /// Parses the text that identifies a scene in a stamp, or returns `nil` if it identifies no scene.
    init?(subject: String) {
        let parts = subject.split(separator: "\t", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(application: String(parts[0]), scene: String(parts[1]))
    }
}

extension CrashStamp.Line.End: CustomStringConvertible {
    private static let signals: [Int32: String] = [
        4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV",
        31: "SIGSYS",
    ]

    /// Short phrase, for example `signal 4 (SIGILL)` or `exit with 3`.
    package var description: String {
        switch self {
        case .signal(let number):
            "signal \(number)" + (Self.signals[number].map { " (\($0))" } ?? "")
        case .exit(let status): "exit with \(status)"
        }
    }
}
