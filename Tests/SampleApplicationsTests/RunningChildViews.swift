import Preservation
import RepriseControl
import SampleApplications
import StateRestoration

@testable import Reprise

/// ChildViews as the daemon hosts it, with what a person does to it.
struct RunningChildViews {
    let application: Application

    func type(_ text: String, at path: String) async throws {
        try await application.command { try $0.type(text, at: path) }
    }

    func select(_ index: Int, at path: String = "nav/parent/segmentedControl") async throws {
        try await application.command { try $0.select([index], at: path) }
    }

    func picture() async throws -> String {
        try await application.read { SceneCommands($0).picture() }
    }

    /// All that there is to see, as `show`, `get`, `tree` and `status` tell it.
    ///
    /// - Parameters:
    ///   - parent: the address of the parent.
    ///   - child1: the first child's name below it.
    func seen(parent: String = "nav/parent", child1: String = "child1") async throws -> Seen {
        let stamp = await application.stamp()
        let report = try await application.report()
        return try await application.performEvenIfUnsaved { scene in
            let commands = SceneCommands(scene)
            /// Nil also for an object that is not there, as a field whose view was never loaded.
            func value(_ key: String, at path: String) throws -> StateJSON? {
                do {
                    return try commands.values(at: "\(parent)\(path)", stamp: stamp)[key]
                } catch .noSuchObject {
                    return nil
                }
            }
            return Seen(
                first: try value("text", at: "/\(child1)/textField"),
                second: try value("text", at: "/child2/textField"),
                caret: try value("selectedRange", at: "/\(child1)/textField"),
                index: try value("selectedIndex", at: ""),
                segment: try value("selectedSegmentIndex", at: "/segmentedControl"),
                picture: commands.picture(),
                omissions: Dictionary(
                    commands.tree().objects.map { ($0.path, $0.reason ?? "") },
                    uniquingKeysWith: { $1 }),
                report: report)
        }.result
    }
}

/// What a person and an operator see of ChildViews.
struct Seen: Sendable {
    var first: StateJSON?
    var second: StateJSON?
    var caret: StateJSON?
    var index: StateJSON?
    var segment: StateJSON?
    var picture: String
    /// For each object of the tree why it is not preserved, or nothing.
    var omissions: [String: String]
    var report: RestorationReport
}

/// Hosts ChildViews over the state in a folder while the body runs, and ends it in an orderly way.
///
/// - Parameters:
///   - removed: the controllers that lose their restoration identifiers.
///   - hosted: the application, or another version of it.
@discardableResult
func withChildViews<Result>(
    in folder: String, without removed: [String] = [], renaming renamed: [String: String] = [:],
    hosted: HostedApplication = .childViews, _ body: (RunningChildViews) async throws -> Result
) async throws -> Result {
    let storyboard = try ShippedStoryboard.text(
        "ChildViews.yaml", without: removed, renaming: renamed)
    return try await withApplication(
        hosted, in: folder, storyboards: ["ChildViews.yaml": storyboard]
    ) { try await body(RunningChildViews(application: $0)) }
}
