import ExactText
import RepriseControl

/// All that a person can see of a daemon's applications: every scene drawn, its tree, and the values
/// of each object.
struct Appearance: Sendable {
    /// A scene of an application.
    struct SceneName: Hashable, Sendable, CustomStringConvertible {
        var application: String
        var name: ExactString

        var description: String { "\(application) \(name.text)" }
    }

    /// What is seen of a scene.
    struct SeenScene: Sendable, Equatable {
        var text = ""
        /// Each object's line of the tree, by its path.
        var objects: [ExactString: String] = [:]
        /// Each object's values, by its path.
        var values: [ExactString: [String: StateJSON]] = [:]
    }

    /// The scenes that are launched.
    private(set) var scenes: [SceneName: SeenScene] = [:]
    /// The scenes that are saved alone.
    private(set) var saved: Set<SceneName> = []

    /// Looks at everything.
    init(_ client: ControlClient) throws {
        let list: ListCall.Reply = try client.call("List")
        for application in list.applications {
            for scene in application.scenes {
                let name = SceneName(
                    application: application.bundleIdentifier, name: ExactString(scene.name))
                if scene.phase == .running {
                    scenes[name] = try Self.look(at: name, client)
                } else {
                    saved.insert(name)
                }
            }
        }
    }

    private static func look(at scene: SceneName, _ client: ControlClient) throws -> SeenScene {
        var parameters = ControlParameters(application: scene.application, scene: scene.name.text)
        var seen = SeenScene()
        let show: ShowCall.Reply = try client.call("Show", parameters)
        // The bar of Scrapbook tells how often it was opened, which every launch makes more.
        seen.text = show.text.split(separator: "\n").filter { !$0.contains("Scrapbook, opened") }
            .joined(separator: "\n")
        let tree: TreeCall.Reply = try client.call("Tree", parameters)
        for object in tree.objects {
            let path = ExactString(object.path)
            seen.objects[path] =
                "\(object.class), preserved: \(object.preserved) \(object.reason ?? "")"
            parameters.path = object.path
            let reply: GetCall.Reply = try client.call("Get", parameters)
            seen.values[path] = (reply.values ?? [:]).filter { !$0.value.isOpeningCount }
        }
        return seen
    }

    /// What is seen otherwise after a restart, a line for each, but for what the reports name.
    func differences(from before: Appearance, reports: [SceneName: ReportCall.Reply]) -> [String] {
        var differences: [String] = []
        for name in saved.symmetricDifference(before.saved) {
            differences.append("\(name): \(saved.contains(name) ? "is closed" : "is not closed")")
        }
        for name in Set(scenes.keys).union(before.scenes.keys) {
            guard let new = scenes[name], let old = before.scenes[name] else {
                differences.append("\(name): \(scenes[name] == nil ? "is gone" : "is new")")
                continue
            }
            let named = reports[name].map { report in
                (report.unrestored + report.duplicates).map(\.path) + report.expired
            }
            differences += Self.differences(from: old, to: new, besides: named ?? [])
                .map { "\(name): \($0)" }
            for object in reports[name]?.found ?? [] where !object.unreadKeys.isEmpty {
                differences.append("\(name): \(object.path): unread: \(object.unreadKeys)")
            }
        }
        return differences.sorted()
    }

    private static func differences(
        from old: SeenScene, to new: SeenScene, besides named: [String]
    ) -> [String] {
        var differences: [String] = []
        // A restore loads the view of each controller that it finds, shown or not (R1).
        let unloaded = old.values.filter { $0.value["isViewLoaded"] == .bool(false) }.map(\.key)
        for path in Set(old.objects.keys).union(new.objects.keys)
        where !named.contains(where: path.text.isAtOrBelow) {
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
            where values[key]?.line != others[key]?.line {
                if key == "isViewLoaded", unloaded.contains(path) { continue }
                differences.append(
                    "\(path.text) \(key): \(values[key]?.line ?? "nothing") became "
                        + (others[key]?.line ?? "nothing"))
            }
        }
        if old.text != new.text, named.isEmpty {
            differences.append("is drawn as\n\(new.text)\nand was\n\(old.text)")
        }
        return differences
    }
}

extension StateJSON {
    /// Whether it is Scrapbook's title, which every launch changes.
    fileprivate var isOpeningCount: Bool {
        if case .string(let text) = self { text.hasPrefix("Scrapbook, opened") } else { false }
    }
}
