import ExactText
package import LinuxIO

extension LaunchLedger {
    /// Determines how the process that wrote the ledger ended, and updates the counts for the scenes.
    ///
    /// - If the process left a stamp with a context, the crash counts only against the scene of that context.
    /// - If the context has no scene, because the thread was reading files, the crash does not count against any scene.
    /// - If the stamp has no context, the crash counts against the scene that was being launched. If no scene was being
    ///   launched and the process had launched exactly one scene, the crash counts against that scene.
    /// - If there is no stamp but a launch was in progress, the process counts as killed during that launch.
    ///
    /// - Parameter bootID: Identifier of the machine's current boot.
    package mutating func recordProcessEnd(_ lines: [CrashRecorder.Line], bootID: String) {
        if let line = lines.first(where: { $0.processID == processID }) {
            recordProcessEnd(line)
        } else if let launch {
            let didReboot = !bootID.isEmpty && !launch.boot.isEmpty && launch.boot != bootID
            let end = didReboot ? "the machine went down" : "the process was killed"
            updateLaunches(of: launch.scene) {
                $0.kills += 1
                $0.lastEnd = "\(end) at the stage \(launch.stage)"
            }
        }
        launch = nil
    }

    private mutating func recordProcessEnd(_ line: CrashRecorder.Line) {
        if let context = line.context {
            guard let scene = scene(of: context.subject) else { return }
            let step = line.stepAndPath.map { ", \($0)" } ?? ""
            let end = "\(line.end) at the stage \(context.stage)\(step)"
            if launch?.scene == scene, context.stage.hasPrefix("launch-") {
                recordCrash(of: scene, end)
            } else {
                updateLaunches(of: scene) {
                    $0.recordCrashAfterLaunch(end, at: line.bootTimeMilliseconds)
                }
            }
        } else if let launch {
            recordCrash(of: launch.scene, "\(line.end) after the stage \(launch.stage)")
        } else if case .signal = line.end {
            let launchedScenes = scenes.filter { $0.value.launchedAt != nil }.keys
            guard launchedScenes.count == 1, let scene = launchedScenes.first else { return }
            updateLaunches(of: scene) {
                $0.recordCrashAfterLaunch("\(line.end)", at: line.bootTimeMilliseconds)
            }
        }
    }

    /// Returns the scene that a context's subject identifies, or `nil` if the subject identifies no scene.
    private func scene(of subject: String) -> SceneKey? {
        if let launch, launch.scene.subject == subject { return launch.scene }
        return scenes.keys.first { $0.subject == subject } ?? SceneKey(subject: subject)
    }

    private mutating func recordCrash(of scene: SceneKey, _ end: String) {
        updateLaunches(of: scene) {
            $0.crashes += 1
            $0.lastEnd = end
        }
    }
}

extension SceneKey {
    /// Text that identifies the scene in a stamp.
    ///
    /// A scene name that comes from an archive may be unsuitable for a line in the stamp file. In this case, a checksum
    /// replaces the name.
    var subject: String {
        let name = scene.utf8
        let isPlain =
            name.count <= Self.maximumBytes && name.first != UInt8(ascii: "@")
            && name.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        if isPlain { return "\(application)\t\(scene)" }
        let sum = checksum(Array(name))
        return "\(application)\t@\(String(sum, radix: 16))"
    }

    /// Maximum length of a scene name in a stamp, in bytes. Programs cannot create longer names (I5).
    private static let maximumBytes = 255

    /// Parses the text that identifies a scene in a stamp, or returns `nil` if it identifies no scene.
    init?(subject: String) {
        let parts = subject.split(separator: "\t", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(application: String(parts[0]), scene: String(parts[1]))
    }
}

extension CrashRecorder.Line.ProcessEnd: CustomStringConvertible {
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
