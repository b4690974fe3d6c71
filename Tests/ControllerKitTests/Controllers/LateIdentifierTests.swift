import StateRecords
import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct LateIdentifierTests {
    /// Returns the identifiers of the objects that an incremental pass after a change did not save.
    private func leftForFullPass(
        _ root: ViewController, after change: () -> Void
    ) throws -> [RestorationIdentifier] {
        let application = try saved(root)
        let scene = try #require(application.scene)
        change()
        let passMetadata = PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "")
        #expect(scene.preserve(passMetadata) != nil)
        return scene.preserve(passMetadata, .everything())?.objects.map(
            \.header.restorationIdentifier)
            ?? []
    }

    @Test
    func `P18: the next pass saves the container of a controller whose identifier changed`()
        throws
    {
        let pushed = ViewController()
        let navigation = NavigationController.named("nav")
        navigation.setViewControllers([.named("bottom"), pushed])
        #expect(try leftForFullPass(navigation) { pushed.restorationIdentifier = "top" } == [])

        let tab = ViewController.named("tab")
        let tabs = TabBarController.named("tabs")
        tabs.setViewControllers([tab])
        #expect(try leftForFullPass(tabs) { tab.restorationIdentifier = nil } == [])

        let presented = ViewController()
        let presenter = ViewController.named("presenter")
        presenter.present(presented)
        #expect(
            try leftForFullPass(presenter) { presented.restorationIdentifier = "sheet" } == [])
    }
}
