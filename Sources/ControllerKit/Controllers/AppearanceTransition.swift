/// Appearance state of a view controller, derived from the appearance methods that have been called on it.
struct Appearance: Equatable {
    static let hidden = Appearance()
    static let shown = Appearance(isShown: true)

    var isShown = false
    /// Whether a "will" method such as ``ViewController/viewWillAppear()`` has been called, but the matching "did"
    /// method has not.
    var isChanging = false
}

/// A change to the views on the screen, together with calls to the appearance methods of the affected controllers.
///
/// Each controller that appears or disappears receives one call before the change and one call after it. A controller
/// is on the screen if the view of the window's frontmost controller contains its view.
enum AppearanceTransition {
    /// Makes a change and calls the appearance methods.
    ///
    /// Controllers that are in both views receive no calls.
    ///
    /// - Parameters:
    ///   - leaving: The view that the change removes from the screen, or `nil` if there is none.
    ///   - entering: The view that the change adds to the screen, or `nil` if there is none.
    static func run(leaving: View?, entering: View?, _ change: () -> Void) {
        let gone = leaving?.controllersInside ?? []
        let coming = entering?.controllersInside ?? []
        let staying = Set(gone.map(ObjectIdentifier.init))
            .intersection(coming.map(ObjectIdentifier.init))
        func stays(_ controller: ViewController) -> Bool {
            staying.contains(ObjectIdentifier(controller))
        }
        for controller in gone where !stays(controller) { controller.begin(appearing: false) }
        for controller in coming where !stays(controller) { controller.begin(appearing: true) }
        change()
        // Appearance methods can change the views again, so read the current views.
        updateAppearance(
            of:
                gone + coming + (leaving?.controllersInside ?? [])
                + (entering?.controllersInside ?? []))
    }

    /// Makes a change that can add views to the screen or remove views from it, and calls the appearance methods.
    static func run(touching views: [View?], _ change: () -> Void) {
        let before = views.flatMap { $0?.controllersInside ?? [] }
        change()
        updateAppearance(of: before + views.flatMap { $0?.controllersInside ?? [] })
    }

    private static func updateAppearance(of controllers: [ViewController]) {
        for controller in controllers { controller.begin(appearing: controller.isOnScreen) }
        for controller in controllers { controller.end(appearing: controller.isOnScreen) }
    }
}

extension ViewController {
    /// Whether the controller's view is on the screen, so that the user sees it.
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

    /// Returns whether the view is the given view or one of its descendants.
    func lies(in other: View) -> Bool {
        sequence(first: self, next: \.superview).contains { $0 === other }
    }

    /// The controllers whose views are this view or one of its descendants, outer controllers first.
    var controllersInside: [ViewController] {
        var controllers: [ViewController] = []
        var waiting = [self]
        while let view = waiting.popLast() {
            if let owner = view.owner, owner.loadedView === view { controllers.append(owner) }
            waiting += view.subviews.reversed()
        }
        return controllers
    }
}
