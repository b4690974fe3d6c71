import StateRecords
import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct InvalidationTests {
    /// Returns the identifiers of the objects that an incremental pass writes after a change, or
    /// `nil` if it writes nothing.
    private func written(
        _ scene: Scene, after change: () throws -> Void
    ) rethrows -> Set<RestorationIdentifier>? {
        try change()
        let output = scene.preserve(
            PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: ""))
        return output.map { Set($0.objects.map(\.header.restorationIdentifier)) }
    }

    @Test func `P14: a user action saves only the affected views and controllers`()
        throws
    {
        let field = FieldController.named("first")
        let tabs = TabBarController.named("tabs")
        tabs.setViewControllers([field, FieldController.named("second")])
        let application = TestApplication(tabs)
        try application.launch()
        application.save()
        let scene = try #require(application.scene)

        #expect(
            try written(scene) { try field.field.type("one", appending: false) } == [
                "first", "field",
            ])
        #expect(try written(scene) { try tabs.select([1]) } == ["tabs", "field"])
        #expect(try written(scene) { try tabs.select([0]) } == ["tabs"])
        #expect(written(scene) {} == nil)
    }

    @Test(arguments: Change.controls + Change.texts)
    func `P14: property changes and user actions on controls and texts are saved`(change: Change)
        throws
    {
        try change.expectSaved()
    }

    @Test(arguments: Change.scrollViews + Change.pictures + Change.pages)
    func `P14: property changes and user actions on scrolling views are saved`(change: Change)
        throws
    {
        try change.expectSaved()
    }

    @Test(arguments: Change.lists)
    func `P14: property changes and user actions on lists are saved`(change: Change) throws {
        try change.expectSaved()
    }

    @Test(arguments: Change.views)
    func `P14: changes to the view hierarchy are saved`(change: Change) throws {
        try change.expectSaved()
    }

    @Test(arguments: Change.containers)
    func `P14: property changes and user actions on containers are saved`(change: Change) throws {
        try change.expectSaved()
    }

    @Test(arguments: Change.controllers)
    func `P14: changes to the controller hierarchy and its presentations are saved`(change: Change)
        throws
    {
        try change.expectSaved()
    }

    @Test func `P15: typing into a secure field invalidates nothing`() throws {
        let application = TestApplication(page(SecureTextField()))
        try application.launch()
        application.save()
        let field = try #require(
            application.window?.rootViewController?.view.subviews.first as? SecureTextField)
        try field.type("secret", appending: false)
        field.secret.value = "other"
        #expect(application.scene?.needsPass == false)
    }
}
