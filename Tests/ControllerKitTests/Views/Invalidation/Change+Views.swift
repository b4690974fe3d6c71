import StateRestoration

@testable import ControllerKit

extension Change {
    private static func named<Made: View>(_ identifier: RestorationIdentifier) -> Made {
        let view = Made()
        view.restorationIdentifier = identifier
        return view
    }

    /// Creates changes to a view inside another view, with and without an identifier.
    private static func inside(
        _ name: String, _ change: @escaping @Sendable (View, Switch) -> Void
    ) -> [Change] {
        [nil, "frame"].map { (identifier: RestorationIdentifier?) in
            Change("\(name) in \(identifier?.text ?? "a view without identifier")") {
                let frame = View()
                frame.restorationIdentifier = identifier
                let inner = View()
                let held: Switch = named("held")
                let controller = ViewController.named("page")
                controller.view.addSubview(frame)
                frame.addSubview(inner)
                inner.addSubview(held)
                return (controller, { change(inner, held) })
            }
        }
    }

    /// Changes to the hierarchy of views.
    static let views =
        inside("addSubview(_:)") { inner, _ in inner.addSubview(named("new") as Switch) }
        + inside("addSubview(_:) of views inside") { inner, _ in
            let group = View()
            group.addSubview(named("new") as Switch)
            inner.addSubview(group)
        }
        + inside("removeFromSuperview()") { _, held in held.removeFromSuperview() }
        + inside("removeFromSuperview() of a superview") { inner, _ in
            inner.removeFromSuperview()
        }
        + inside("removeFromSuperview() and addSubview(_:)") { inner, held in
            held.removeFromSuperview()
            inner.addSubview(named("held") as Switch)
        }
        + [
            Change("View.addSubview(_:) of a view of another controller") {
                let first = ViewController.named("first")
                let second = ViewController.named("second")
                let root = ViewController.named("root")
                for child in [first, second] {
                    root.addChild(child)
                    root.view.addSubview(child.view)
                }
                let held: Switch = named("held")
                first.view.addSubview(held)
                return (root, { second.view.addSubview(held) })
            },
            Change("NavigationItem.rightBarButtonItems") {
                let root = ViewController.named("root")
                return (
                    root,
                    { root.navigationItem.rightBarButtonItems = [named("add"), named("edit")] }
                )
            },
            Change("NavigationItem.leftBarButtonItems") {
                let root = ViewController.named("root")
                root.navigationItem.leftBarButtonItems = [named("add"), named("edit")]
                return (root, { root.navigationItem.leftBarButtonItems.removeFirst() })
            },
        ]
}
