import ExactText
import RepriseControl

/// Everything that a user can see of a daemon's applications: the rendering and tree of each scene, and the values of
/// each object.
struct VisibleState: Sendable {
    /// A scene of an application.
    struct SceneName: Hashable, Sendable, CustomStringConvertible {
        var application: String
        var name: ExactString

        var description: String { "\(application) \(name.text)" }
    }

    /// Visible state of a scene.
    struct SceneState: Sendable, Equatable {
        var text = ""
        /// Line of the tree for each object, keyed by path.
        var objects: [ExactString: String] = [:]
        /// Values of each object, keyed by path.
        var values: [ExactString: [String: StateJSON]] = [:]
    }

    /// Scenes that are running.
    private(set) var scenes: [SceneName: SceneState] = [:]
    /// Scenes that are only saved.
    private(set) var saved: Set<SceneName> = []

    /// Reads everything from the daemon.
    init(_ client: ControlClient) throws {
        let list: ListCall.Reply = try client.call("List")
        for application in list.applications {
            for scene in application.scenes {
                let name = SceneName(
                    application: application.bundleIdentifier, name: ExactString(scene.name))
                if scene.phase == .running {
                    scenes[name] = try Self.readState(at: name, client)
                } else {
                    saved.insert(name)
                }
            }
        }
    }

    private static func readState(at scene: SceneName, _ client: ControlClient) throws -> SceneState
    {
        var parameters = ControlParameters(application: scene.application, scene: scene.name.text)
        var state = SceneState()
        let show: ShowCall.Reply = try client.call("Show", parameters)
        // The bar of Scrapbook shows how often it was opened. Each launch increments this number.
        state.text = show.text.split(separator: "\n").filter { !$0.contains("Scrapbook, opened") }
            .joined(separator: "\n")
        let tree: TreeCall.Reply = try client.call("Tree", parameters)
        for object in tree.objects {
            let path = ExactString(object.path)
            state.objects[path] =
                "\(object.class), preserved: \(object.preserved) \(object.reason ?? "")"
            parameters.path = object.path
            let reply: GetCall.Reply = try client.call("Get", parameters)
            state.values[path] = (reply.values ?? [:]).filter { !$0.value.isTitleWithLaunchCount }
        }
        return state
    }

    /// Returns the differences after a restart, one on each line, except for objects that the reports list.
    func differences(from before: VisibleState, reports: [SceneName: ReportCall.Reply]) -> [String]
    {
        var differences: [String] = []
        for name in saved.symmetricDifference(before.saved) {
            differences.append("\(name): \(saved.contains(name) ? "is closed" : "is not closed")")
        }
        for name in Set(scenes.keys).union(before.scenes.keys) {
            guard let new = scenes[name], let old = before.scenes[name] else {
                differences.append("\(name): \(scenes[name] == nil ? "is gone" : "is new")")
                continue
            }
            let reportedPaths = reports[name].map { report in
                (report.unrestored + report.duplicates).map(\.path) + report.expired
            }
            differences += Self.differences(from: old, to: new, excluding: reportedPaths ?? [])
                .map { "\(name): \($0)" }
            for object in reports[name]?.found ?? [] where !object.unreadKeys.isEmpty {
                differences.append("\(name): \(object.path): unread: \(object.unreadKeys)")
            }
        }
        return differences.sorted()
    }

    private static func differences(
        from old: SceneState, to new: SceneState, excluding reportedPaths: [String]
    ) -> [String] {
        var differences: [String] = []
        // A restoration loads the view of each controller that it finds, even if the controller is not visible (R1).
        let unloaded = old.values.filter { $0.value["isViewLoaded"] == .bool(false) }.map(\.key)
        for path in Set(old.objects.keys).union(new.objects.keys)
        where !reportedPaths.contains(where: path.text.isAtOrBelow) {
            let isLoaded = unloaded.contains { path != $0 && path.text.isAtOrBelow($0.text) }
            if isLoaded, old.objects[path] == nil { continue }
            if old.objects[path] != new.objects[path] {
                differences.append(
                    "\(path.text): \(old.objects[path] ?? "nothing") became "
                        + (new.objects[path] ?? "nothing"))
                continue
            }
            let (values, others) = (old.values[path] ?? [:], new.values[path] ?? [:])
            for key in Set(values.keys).union(others.keys)
            where values[key]?.singleLineText != others[key]?.singleLineText {
                if key == "isViewLoaded", unloaded.contains(path) { continue }
                differences.append(
                    "\(path.text) \(key): \(values[key]?.singleLineText ?? "nothing") became "
                        + (others[key]?.singleLineText ?? "nothing"))
            }
        }
        if old.text != new.text, reportedPaths.isEmpty {
            differences.append("is drawn as\n\(new.text)\nand was\n\(old.text)")
        }
        return differences
    }
}

extension StateJSON {
    /// Whether the value is the title of Scrapbook, which each launch changes.
    fileprivate var isTitleWithLaunchCount: Bool {
        if case .string(let text) = self { text.hasPrefix("Scrapbook, opened") } else { false }
    }
}
