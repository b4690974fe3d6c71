import ExactText
package import LinuxIO

extension LaunchLedger {
    /// Finds out how the process that wrote the ledger ended, and counts that.
    ///
    /// A stamp of that process with a place counts against the scene of that place only. A stamp whose place names no
    /// scene, because a thread read files, counts against no scene. A stamp without a place counts against the scene that was being
    /// launched, or the only scene that the process had launched. Without a stamp, a launch in progress counts as killed.
    ///
    /// - Parameter boot: the machine's present start.
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
                noteCrash(of: scene, end)
            } else {
                change(scene) { $0.noteDeath(end, at: line.time) }
            }
        } else if let mark {
            noteCrash(of: mark.scene, "\(line.end) after the stage \(mark.stage)")
        } else if case .signal = line.end {
            let launched = scenes.filter { $0.value.launchedAt != nil }.keys
            guard launched.count == 1, let scene = launched.first else { return }
            change(scene) { $0.noteDeath("\(line.end)", at: line.time) }
        }
    }

    /// The scene that a place in the stamp tells of; nil if it tells of none.
    private func scene(of subject: String) -> SceneKey? {
        if let mark, mark.scene.subject == subject { return mark.scene }
        return scenes.keys.first { $0.subject == subject } ?? SceneKey(subject: subject)
    }

    private mutating func noteCrash(of scene: SceneKey, _ end: String) {
        change(scene) {
            $0.crashes += 1
            $0.lastEnd = end
        }
    }
}

extension SceneKey {
    /// What a place in the stamp tells of the scene: its name, or what stands for one that no line
    /// could hold, as an archive may have.
    var subject: String {
        let name = scene.utf8
        let isPlain =
            name.count <= Self.mostBytes && name.first != UInt8(ascii: "@")
            && name.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        if isPlain { return "\(application)\t\(scene)" }
        let sum = checksum(Array(name))
        return "\(application)\t@\(String(sum, radix: 16))"
    }

    /// The most bytes of a scene's name that a stamp tells; a program makes no longer one (I5).
    private static let mostBytes = 255

    /// The scene that a place in the stamp tells of; nil if it tells of none.
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

    /// A few words: `signal 4 (SIGILL)`, `exit with 3`.
    package var description: String {
        switch self {
        case .signal(let number):
            "signal \(number)" + (Self.signals[number].map { " (\($0))" } ?? "")
        case .exit(let status): "exit with \(status)"
        }
    }
}
