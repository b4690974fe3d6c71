/// Appearance state of a view controller, derived from the appearance methods that have been called on it.
struct Appearance: Equatable {
    static let hidden = Appearance()
    static let shown = Appearance(isShown: true)

    var isShown = false
    /// Whether a "will" method such as ``ViewController/viewWillAppear()`` has been called but the matching "did"
    /// method has not.
    var isChanging = false
}

/// A change to the views on the screen, including calls to the affected controllers' appearance methods.
///
/// A controller is on the screen if its view is the view of the window's frontmost controller or one of that view's
/// descendants.
enum AppearanceTransition {
    /// Performs a change and calls appearance methods before and after it.
    ///
    /// Controllers that are on the screen both before and after the change receive no calls.
    ///
    /// - Parameters:
    ///   - leavingView: The view that the change removes from the screen, or `nil` if there is none.
    ///   - enteringView: The view that the change adds to the screen, or `nil` if there is none.
    static func run(leaving leavingView: View?, entering enteringView: View?, _ change: () -> Void)
    {
        let leavingControllers = leavingView?.controllersInHierarchy ?? []
        let enteringControllers = enteringView?.controllersInHierarchy ?? []
        let stayingIdentities = Set(leavingControllers.map(ObjectIdentifier.init))
            .intersection(enteringControllers.map(ObjectIdentifier.init))
        func stays(_ controller: ViewController) -> Bool {
            stayingIdentities.contains(ObjectIdentifier(controller))
        }
        for controller in leavingControllers where !stays(controller) {
            controller.beginTransition(isAppearing: false)
        }
        for controller in enteringControllers where !stays(controller) {
            controller.beginTransition(isAppearing: true)
        }
        change()
        // Appearance methods can also change the views, so read the current views.
        updateAppearance(
            of:
                leavingControllers + enteringControllers
                + (leavingView?.controllersInHierarchy ?? [])
                + (enteringView?.controllersInHierarchy ?? []))
    }

    /// Performs a change that shows or covers the given views but does not change their subviews, then calls all
    /// appearance methods.
    ///
    /// The "will" methods are also called after the change, because the affected controllers are known only then.
    static func run(affecting views: [View?], _ change: () -> Void) {
        change()
        updateAppearance(of: views.flatMap { $0?.controllersInHierarchy ?? [] })
    }

    /// Calls the "will" methods and then the "did" methods, in each case first on the controllers that disappear.
    private static func updateAppearance(of controllers: [ViewController]) {
        for isAppearing in [false, true] {
            for controller in controllers where controller.isOnScreen == isAppearing {
                controller.beginTransition(isAppearing: isAppearing)
            }
        }
        for isAppearing in [false, true] {
            for controller in controllers where controller.isOnScreen == isAppearing {
                controller.endTransition(isAppearing: isAppearing)
            }
        }
    }
}

extension ViewController {
    /// Whether the controller's view is on the screen.
    package var isOnScreen: Bool { loadedView?.isOnScreen ?? false }

    fileprivate func beginTransition(isAppearing: Bool) {
        guard appearance.isShown != isAppearing else { return }
        appearance = Appearance(isShown: isAppearing, isChanging: true)
        if isAppearing { viewWillAppear() } else { viewWillDisappear() }
    }

    fileprivate func endTransition(isAppearing: Bool) {
        guard appearance == Appearance(isShown: isAppearing, isChanging: true) else { return }
        appearance.isChanging = false
        if isAppearing { viewDidAppear() } else { viewDidDisappear() }
    }
}

extension View {
    /// Whether the view is on the screen.
    var isOnScreen: Bool {
        var topView = self
        while let superview = topView.superview { topView = superview }
        return topView.owner?.isFrontmost ?? false
    }

    /// Returns whether this view is the given view or one of its descendants.
    func isDescendant(of ancestor: View) -> Bool {
        sequence(first: self, next: \.superview).contains { $0 === ancestor }
    }

    /// The controllers whose views are this view or its descendants, outer controllers first.
    var controllersInHierarchy: [ViewController] {
        var controllers: [ViewController] = []
        var pendingViews = [self]
        while let view = pendingViews.popLast() {
            if let owner = view.owner, owner.loadedView === view { controllers.append(owner) }
            pendingViews += view.subviews.reversed()
        }
        return controllers
    }
}
