import Preservation
import RepriseControl
import SampleApplications
import StateRestoration

@testable import Reprise

/// A running ChildViews application, with user operations.
struct RunningChildViews {
    let application: Application

    func type(_ text: String, at path: String) async throws {
        try await application.command { try $0.type(text, at: path) }
    }

    func select(_ index: Int, at path: String = "nav/parent/segmentedControl") async throws {
        try await application.command { try $0.select([index], at: path) }
    }

    func picture() async throws -> String {
        try await application.read { SceneCommandRunner($0).renderedText() }
    }

    /// Returns the state that `show`, `get`, `tree` and `status` show.
    ///
    /// - Parameters:
    ///   - parent: The path of the parent controller.
    ///   - child1: The name of the first child below the parent.
    func seen(parent: String = "nav/parent", child1: String = "child1") async throws -> Seen {
        let passMetadata = await application.passMetadata()
        let report = try await application.report()
        return try await application.performEvenIfUnsaved { scene in
            let commands = SceneCommandRunner(scene)
            /// Returns a value of an object, or `nil` if the value or the object does not exist.
            ///
            /// For example, a field does not exist if its controller's view has not been loaded.
            func value(_ key: String, at path: String) throws -> StateJSON? {
                do {
                    return try commands.values(at: "\(parent)\(path)", passMetadata: passMetadata)[
                        key]
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
                picture: commands.renderedText(),
                omissions: Dictionary(
                    commands.tree().objects.map { ($0.path, $0.reason ?? "") },
                    uniquingKeysWith: { $1 }),
                report: report)
        }.result
    }
}

/// The state of ChildViews that users and operators see.
struct Seen: Sendable {
    var first: StateJSON?
    var second: StateJSON?
    var caret: StateJSON?
    var index: StateJSON?
    var segment: StateJSON?
    var picture: String
    /// The reasons why objects are not preserved, keyed by path, with an empty string for preserved
    /// objects.
    var omissions: [String: String]
    var report: RestorationReport
}

/// Runs ChildViews with the state in a directory for the duration of a closure, and then stops it
/// cleanly.
///
/// - Parameters:
///   - removed: The controllers whose restoration identifiers are removed.
///   - hosted: The application, or another version of it.
@discardableResult
func withChildViews<Result>(
    in directory: String, without removed: [String] = [], renaming renamed: [String: String] = [:],
    hosted: HostedApplication = .childViews, _ body: (RunningChildViews) async throws -> Result
) async throws -> Result {
    let storyboard = try ShippedStoryboard.text(
        "ChildViews.yaml", without: removed, renaming: renamed)
    return try await withApplication(
        hosted, in: directory, storyboards: ["ChildViews.yaml": storyboard]
    ) { try await body(RunningChildViews(application: $0)) }
}
