import StateRestoration
import Testing

@testable import ControllerKit

/// Tests presentations that the controllers' own code interferes with.
@Suite struct ViewControllerPresentationTests {
    /// A change that a controller makes while its view is removed, before it is presented.
    enum Interference: CaseIterable, Sendable {
        case presenterPresents, presenterGetsContainer, getsContainer, isPresented, becomesRoot
        case presentsPresenter
    }

    /// A controller that performs an action before it disappears.
    private final class ActingController: ViewController {
        var action: () -> Void = {}

        override func viewWillDisappear() {
            let action = action
            self.action = {}
            action()
        }
    }

    @Test(arguments: Interference.allCases)
    func `I4: a controller whose removal makes its presentation impossible is not presented`(
        interference: Interference
    ) throws {
        let root = ViewController()
        try TestApplication(root).launch()
        let (presenter, other) = (ViewController(), ViewController())
        let window = Window()
        let controller = ActingController()
        root.addChild(controller)
        root.view.addSubview(controller.view)
        func interfere() {
            switch interference {
            case .presenterPresents: presenter.present(other)
            case .presenterGetsContainer: other.addChild(presenter)
            case .getsContainer: other.addChild(controller)
            case .isPresented: other.present(controller)
            case .becomesRoot: window.rootViewController = controller
            case .presentsPresenter: controller.present(presenter)
            }
        }
        controller.action = interfere
        #expect(!presenter.present(controller))
        #expect(presenter.presentedController !== controller)
        #expect(controller.presenter !== presenter)
        #expect(root.children.isEmpty)
    }

    @Test
    func `V8: a controller without an identifier stays presented above a restored controller`()
        throws
    {
        let root = ViewController.named("root")
        root.present(ViewController.named("sheet"))
        let first = try saved(root)
        let next = ViewController.named("root")
        let sheet = ViewController.named("sheet")
        let hint = ViewController()
        next.present(sheet)
        sheet.present(hint)
        #expect(try restore(next, from: first).unrestored == [])
        #expect(next.presentedViewController === sheet)
        #expect(sheet.presentedViewController === hint)
    }

    /// A controller that performs an action after it has left its container.
    private final class LeavingController: ViewController {
        var action: () -> Void = {}

        override func didMove(toParent parent: ViewController?) {
            let action = action
            self.action = {}
            action()
        }
    }

    @Test
    func `I4: a presentation adopts a controller that is presented while it leaves its parent`() {
        let (root, presenter, other) = (ViewController(), ViewController(), ViewController())
        let controller = LeavingController()
        root.addChild(controller)
        controller.action = { other.present(controller) }
        #expect(presenter.present(controller))
        #expect(controller.presenter === presenter)
        #expect(other.presentedController == nil)
        #expect(root.children.isEmpty)
    }

    @Test func `I4: a presentation adopts a controller that becomes a root while it is dismissed`()
        throws
    {
        let (presenter, other) = (ViewController(), ViewController())
        try TestApplication(other).launch()
        let window = Window()
        let controller = ActingController()
        other.present(controller)
        controller.action = { window.rootViewController = controller }
        #expect(presenter.present(controller))
        #expect(controller.presenter === presenter)
        #expect(window.rootViewController == nil)
        #expect(other.presentedController == nil)
    }
}
