/// Appearance state of a view controller, derived from the appearance methods that have been called on it.
struct Appearance: Equatable {
    static let hidden = Appearance()
    static let shown = Appearance(isShown: true)

    var isShown = false
    /// Whether a "will" method such as ``ViewController/viewWillAppear()`` has been called but the matching "did"
    /// method has not.
    var isChanging = false
}

/// A change to the views on the screen, together with calls to the appearance methods of the affected controllers.
///
/// Each controller that appears or disappears receives one call before the change and another after it. A controller is
/// on the screen if its view is the view of the window's frontmost controller or one of that view's descendants.
enum AppearanceTransition {
    /// Performs a change, and calls the appearance methods.
    ///
    /// Controllers that are on the screen both before and after the change receive no calls.
    ///
    /// - Parameters:
    ///   - leaving: The view that the change removes from the screen, or `nil` if there is none.
    ///   - entering: The view that the change adds to the screen, or `nil` if there is none.
    static func run(leaving: View?, entering: View?, _ change: () -> Void) {
        let leavingControllers = leaving?.controllersInHierarchy ?? []
        let enteringControllers = entering?.controllersInHierarchy ?? []
        let staying = Set(leavingControllers.map(ObjectIdentifier.init))
            .intersection(enteringControllers.map(ObjectIdentifier.init))
        func stays(_ controller: ViewController) -> Bool {
            staying.contains(ObjectIdentifier(controller))
        }
        for controller in leavingControllers where !stays(controller) {
            controller.begin(appearing: false)
        }
        for controller in enteringControllers where !stays(controller) {
            controller.begin(appearing: true)
        }
        change()
        // Appearance methods can change the views again, so read the current views.
        updateAppearance(
            of:
                leavingControllers + enteringControllers + (leaving?.controllersInHierarchy ?? [])
                + (entering?.controllersInHierarchy ?? []))
    }

    /// Performs a change that can add or remove visible views, and calls the appearance methods.
    static func run(affecting views: [View?], _ change: () -> Void) {
        let before = views.flatMap { $0?.controllersInHierarchy ?? [] }
        change()
        updateAppearance(of: before + views.flatMap { $0?.controllersInHierarchy ?? [] })
    }

    private static func updateAppearance(of controllers: [ViewController]) {
        for controller in controllers { controller.begin(appearing: controller.isOnScreen) }
        for controller in controllers { controller.end(appearing: controller.isOnScreen) }
    }
}

extension ViewController {
    /// Whether the controller's view is on the screen.
    package var isOnScreen: Bool { loadedView?.isOnScreen ?? false }

    fileprivate func begin(appearing: Bool) {
        guard appearance.isShown != appearing else { return }
        appearance = Appearance(isShown: appearing, isChanging: true)
        if appearing { viewWillAppear() } else { viewWillDisappear() }
    }

    fileprivate func end(appearing: Bool) {
        guard appearance == Appearance(isShown: appearing, isChanging: true) else { return }
        appearance.isChanging = false
        if appearing { viewDidAppear() } else { viewDidDisappear() }
    }
}

extension View {
    /// Whether the view is on the screen.
    var isOnScreen: Bool {
        var top = self
        while let superview = top.superview { top = superview }
        return top.owner?.isFrontmost ?? false
    }

    /// Returns whether this view is the given view or one of its descendants.
    func isDescendant(of other: View) -> Bool {
        sequence(first: self, next: \.superview).contains { $0 === other }
    }

    /// The controllers whose views are this view or its descendants, outer controllers first.
    var controllersInHierarchy: [ViewController] {
        var controllers: [ViewController] = []
        var pending = [self]
        while let view = pending.popLast() {
            if let owner = view.owner, owner.loadedView === view { controllers.append(owner) }
            pending += view.subviews.reversed()
        }
        return controllers
    }
}
