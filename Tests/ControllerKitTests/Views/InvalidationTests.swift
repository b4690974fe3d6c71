import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct InvalidationTests {
    /// The identifiers of what an incremental pass writes after a change; nil: it writes nothing.
    private func written(
        _ scene: Scene, after change: () throws -> Void
    ) rethrows -> Set<RestorationIdentifier>? {
        try change()
        let output = scene.preserve(
            PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: ""))
        return output.map { Set($0.objects.map(\.header.identifier)) }
    }

    @Test func `P14: what a person does to a view saves the view and its controller, nothing else`()
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
        #expect(try written(scene) { try tabs.choose([1]) } == ["tabs", "field"])
        #expect(try written(scene) { try tabs.choose([0]) } == ["tabs"])
        #expect(written(scene) {} == nil)
    }
}
