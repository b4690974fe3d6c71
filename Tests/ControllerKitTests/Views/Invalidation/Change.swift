import StateRecords
import StateRestoration
import Testing

@testable import ControllerKit

/// A change to state that an application saves.
struct Change: Sendable, CustomTestStringConvertible {
    /// The class and the member that make the change.
    let testDescription: String
    /// Launches an application, and returns it with a closure that makes the change.
    private let launch: @Sendable () throws -> (TestApplication, () throws -> Void)

    /// Creates a change to an application that the closure launches.
    init(
        _ name: String,
        launching launch: @escaping @Sendable () throws -> (TestApplication, () throws -> Void)
    ) {
        testDescription = name
        self.launch = launch
    }

    /// Creates a change to the tree below a root.
    init(
        _ name: String,
        _ make: @escaping @Sendable () throws -> (ViewController, () throws -> Void)
    ) {
        self.init(name) { () -> (TestApplication, () throws -> Void) in
            let (root, change) = try make()
            let application = TestApplication(root)
            try application.launch()
            return (application, change)
        }
    }

    /// Creates a change to a view whose controller saves the view's content.
    ///
    /// - Parameters:
    ///   - shown: A closure that returns the text that the controller saves.
    ///   - prepare: A closure that prepares the view before the change.
    static func view<Content: View>(
        _ name: String, shown: @escaping @Sendable (Content) -> String,
        _ prepare: @escaping @Sendable (Content) throws -> Void = { _ in },
        change: @escaping @Sendable (Content) throws -> Void
    ) -> Change {
        Change("\(Content.self).\(name)") {
            let controller = ContentSavingController<Content>.named("page")
            controller.shown = shown
            controller.loadViewIfNeeded()
            try prepare(controller.contentView)
            return (controller, { try change(controller.contentView) })
        }
    }

    /// Expects that the pass after the change saves the entire change.
    ///
    /// A subsequent full pass must have nothing to add (P18).
    func expectSaved() throws {
        let (application, change) = try launch()
        application.save()
        let scene = try #require(application.scene)
        try #require(!scene.needsPass)
        try change()
        let passMetadata = PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "")
        let output = scene.preserve(passMetadata)
        #expect(output?.isEmpty == false, "nothing was saved")
        let fullOutput = try #require(scene.preserve(passMetadata, .everything()))
        let missed = (fullOutput.objects.map(\.header) + fullOutput.moves).map(\.identifier)
        #expect(missed == [], "this was not saved")
        #expect(fullOutput.removals == [])
    }
}

/// A controller that saves the content of its view, as many controllers do.
private final class ContentSavingController<Content: View>: ViewController {
    let contentView = Content()
    var shown: (Content) -> String = { _ in "" }

    override func viewDidLoad() {
        super.viewDidLoad()
        contentView.restorationIdentifier = "held"
        view.addSubview(contentView)
    }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(shown(contentView), forKey: "shown")
    }
}
