import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

@testable import SampleApplications

/// Tests controllers whose saved state is incomplete or cannot be decoded.
@Suite struct SampleControllerDecodingTests {
    /// A storyboard that creates empty controllers.
    private final class EmptyStoryboard: Storyboard {
        let name = "Empty"

        func instantiateInitialViewController() -> ViewController { ViewController() }

        func instantiateViewController(withIdentifier identifier: String) -> ViewController {
            ViewController()
        }
    }

    /// Creates a controller with all views that the sample controllers require.
    private func made<Controller: ViewController>(_ type: Controller.Type) -> Controller {
        let controller = type.init()
        controller.recordInstantiation(by: EmptyStoryboard(), as: "controller")
        let outlets: KeyValuePairs<String, View> = [
            "textField": TextField(), "textView": TextView(), "imageView": ImageView(),
            "segmentedControl": SegmentedControl(), "pictureButton": Button(),
            "copyButton": Button(), "pasteButton": Button(),
        ]
        for (name, view) in outlets { controller.addOutlet(name, view) }
        return controller
    }

    /// Decodes the state that `write` encodes.
    ///
    /// - Parameter found: The object that a saved reference identifies.
    private func decode(
        _ controller: ViewController, found: ViewController? = nil,
        _ write: (StateEncoder) -> Void
    ) throws {
        let names = NameTable()
        let passMetadata = PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "")
        let encoder = StateEncoder(names: names, passMetadata: passMetadata)
        encoder.recordNumberOfObject = { _ in RecordNumber(2) }
        encoder.begin()
        write(encoder)
        let source = SharedDecoderData(
            names: names, passMetadata: passMetadata, path: { _ in "controller" },
            object: { _ in found })
        let decoder = StateDecoder(
            source, number: RecordNumber(1), SavedValues(encoder.bytes[encoder.valuesRange()]))
        try decoder.decodeState(of: controller)
    }

    @Test(
        arguments: [
            Child1ViewController.self, NotesViewController.self, ParentViewController.self,
        ] as [ViewController.Type])
    func `R14: a controller reports state that its superclass cannot decode`(
        type: ViewController.Type
    ) {
        #expect(throws: (any Error).self) {
            try decode(made(type)) { $0.encode("yes", forKey: "isEditing") }
        }
    }

    @Test(
        arguments: [
            (Child1ViewController.self, "text"), (NotesViewController.self, "unsavedText"),
        ] as [(ViewController.Type, StaticString)])
    func `R14: a controller restores its edit mode even if its text cannot be decoded`(
        type: ViewController.Type, key: StaticString
    ) {
        let controller = made(type)
        #expect(throws: (any Error).self) {
            try decode(controller) { coder in
                coder.encode(true, forKey: "isEditing")
                coder.encode(7, forKey: key)
            }
        }
        #expect(controller.isEditing)
    }

    @Test func `R14: notes restore their text even if their picture cannot be decoded`() {
        let notes = made(NotesViewController.self)
        #expect(throws: ImageError.notPGM) {
            try decode(notes) { coder in
                coder.encode("saved", forKey: "unsavedText")
                coder.encode(Data("P6".utf8), forKey: "image")
            }
        }
        #expect(notes.outlet("textView", as: TextView.self).text == "saved")
    }

    @Test(arguments: [false, true])
    func `R9: a restored child replaces a child unless it is the root of a window`(
        isRoot: Bool
    ) throws {
        let parent = made(ParentViewController.self)
        parent.loadViewIfNeeded()
        let children = parent.children
        let (found, window) = (ViewController(), Window())
        if isRoot { window.rootViewController = found }
        try decode(parent, found: found) { $0.encode(found, forKey: "child1") }
        let expected = [isRoot ? children[0] : found, children[1]]
        #expect(parent.children.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init))
        #expect(parent.view.subviews.last === expected[0].view)
        withExtendedLifetime(window) {}
    }

    @Test func `P12: the scrapbook is not launched if another clipboard is registered`() throws {
        let delegate = ScrapbookDelegate(storyboard: EmptyStoryboard())
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: delegate, classes: .controllerKit,
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        let other = Clipboard()
        try scene.registerObject(
            forStateRestoration: other, restorationIdentifier: "clipboard")
        #expect(throws: RegistrationError.self) {
            try delegate.application(scene, willFinishLaunchingWith: .pristine)
        }
        withExtendedLifetime(other) {}
    }
}
