import StateRestoration

@testable import ControllerKit

extension Change {
    /// Changes to the containment, the presentation and the edit mode of controllers.
    static let controllers = containment + presentation + editing + windows

    private static func containment(
        _ name: String, _ change: @escaping @Sendable (ViewController, [ViewController]) -> Void
    ) -> Change {
        Change("ViewController.\(name)") {
            let root = ViewController.named("root")
            let children = ["a", "b"].map { FieldController.named($0) }
            for child in children { root.addChild(child) }
            return (root, { change(root, children) })
        }
    }

    private static let containment: [Change] = [
        containment("addChild(_:)") { root, _ in root.addChild(FieldController.named("c")) },
        containment("addChild(_:) of a child of another") { _, children in
            children[0].addChild(children[1])
        },
        containment("insertChild(_:at:)") { root, _ in
            root.insertChild(FieldController.named("c"), at: 0)
        },
        containment("removeFromParent()") { _, children in children[0].removeFromParent() },
        containment("view") { _, children in children[0].loadViewIfNeeded() },
    ]

    private static func presentation(
        _ name: String, _ change: @escaping @Sendable (ViewController) -> Void
    ) -> Change {
        Change("ViewController.\(name)") {
            let root = ViewController.named("root")
            let presented = FieldController.named("presented")
            root.addChild(FieldController.named("child"))
            // Present the controller now. Otherwise, it would be deallocated before the change.
            root.present(presented)
            return (root, { change(root) })
        }
    }

    private static let presentation: [Change] = [
        Change("ViewController.present(_:)") {
            let root = ViewController.named("root")
            return (root, { root.present(FieldController.named("presented")) })
        },
        Change("ViewController.show(_:)") {
            let root = ViewController.named("root")
            return (root, { root.show(FieldController.named("presented")) })
        },
        Change("ViewController.present(_:) of what is presented elsewhere") {
            let root = ViewController.named("root")
            let presented = FieldController.named("presented")
            let above = FieldController.named("above")
            root.present(presented)
            presented.present(above)
            return (
                root,
                {
                    presented.dismiss()
                    root.dismiss()
                    root.present(above)
                }
            )
        },
        Change("ViewController.addChild(_:) of one that presents") {
            let root = ViewController.named("root")
            let child = FieldController.named("child")
            child.present(FieldController.named("presented"))
            return (root, { root.addChild(child) })
        },
        presentation("dismiss()") { $0.dismiss() },
        presentation("dismiss() of the presented one") { $0.presentedViewController?.dismiss() },
        presentation("addChild(_:) of the presented one") { root in
            if let presented = root.presentedViewController { root.addChild(presented) }
        },
        presentation("present(_:) above another") {
            $0.presentedViewController?.present(FieldController.named("above"))
        },
    ]

    /// A controller that saves its edit mode.
    private final class EditingController: ViewController {
        override func encodeRestorableState(with coder: StateEncoder) throws {
            try super.encodeRestorableState(with: coder)
            coder.encode(isEditing, forKey: "isEditing")
        }
    }

    private static func editing(
        _ name: String, _ change: @escaping @Sendable (ViewController) throws -> Void
    ) -> Change {
        Change("ViewController.\(name)") {
            let root = EditingController.named("root")
            return (root, { try change(root) })
        }
    }

    private static func table(
        _ name: String, _ change: @escaping @Sendable (TableViewController) throws -> Void
    ) -> Change {
        Change("TableViewController.\(name)") {
            let root = TableViewController.named("root")
            root.tableView.restorationIdentifier = "table"
            return (root, { try change(root) })
        }
    }

    private static let editing: [Change] = [
        editing("setEditing(_:)") { $0.setEditing(true) },
        editing("changeEditing(_:)") { try $0.changeEditing(true) },
        editing("editButtonItem") { try $0.editButtonItem.tap() },
        table("setEditing(_:)") { $0.setEditing(true) },
        table("changeEditing(_:)") { try $0.changeEditing(true) },
        table("tableView.changeEditing(_:)") { try $0.tableView.changeEditing(true) },
    ]

    private static let windows: [Change] = [
        Change("Window.rootViewController") { () -> (TestApplication, () throws -> Void) in
            let application = TestApplication(FieldController.named("root"))
            try application.launch()
            return (
                application,
                { application.window?.rootViewController = FieldController.named("other") }
            )
        },
        Change("Window.rootViewController of the same identifier") {
            () -> (TestApplication, () throws -> Void) in
            let application = TestApplication(FieldController.named("root"))
            try application.launch()
            return (
                application,
                { application.window?.rootViewController = ViewController.named("root") }
            )
        },
        Change("Window.dismissTopmost()") { () -> (TestApplication, () throws -> Void) in
            let root = ViewController.named("root")
            root.present(FieldController.named("presented"))
            let application = TestApplication(root)
            try application.launch()
            return (application, { try application.window?.dismissTopmost() })
        },
        Change("Window.goBack()") { () -> (TestApplication, () throws -> Void) in
            let root = NavigationController.named("root")
            root.setViewControllers(["a", "b"].map { FieldController.named($0) })
            let application = TestApplication(root)
            try application.launch()
            return (application, { try application.window?.goBack() })
        },
    ]
}
