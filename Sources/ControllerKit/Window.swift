public import StateRestoration

/// What shows a scene's root view controller, and what covers it.
public final class Window {
    private var root: ViewController?

    /// The controller at the root of the scene's tree (P5). A new one comes out of where it was.
    public var rootViewController: ViewController? {
        get { root }
        set { replaceRoot(with: newValue) }
    }

    /// Whether the window shows its root.
    public private(set) var isKeyWindow = false
    /// Whether the scene's launch has completed: before, no controller appears.
    private var isLaunched = false

    /// Whether the scene has launched: before, the window shows nothing yet.
    var isShowing: Bool { isKeyWindow && isLaunched }

    /// A window without a root.
    public init() {}

    /// Shows the root, which loads the views of what it shows (R1). Once the launch has completed
    /// the controllers that are shown appear.
    public func makeKeyAndVisible() {
        guard !isKeyWindow else { return }
        rootViewController?.loadViewIfNeeded()
        appear { isKeyWindow = true }
    }

    /// The scene's launch has completed: the controllers that are shown appear.
    package func sceneDidLaunch() {
        guard !isLaunched else { return }
        appear { isLaunched = true }
    }

    private func appear(_ change: () -> Void) {
        let willShow = isKeyWindow || isLaunched
        AppearanceTransition.run(
            leaving: nil, entering: willShow ? topViewController?.loadedView : nil, change)
    }

    private func replaceRoot(with controller: ViewController?) {
        guard controller !== root else { return }
        if isKeyWindow { controller?.loadViewIfNeeded() }
        controller?.rootWindow?.rootViewController = nil
        guard controller !== root else { return }
        let wasChild = controller?.parent != nil
        var tellLeft: () -> Void = {}
        AppearanceTransition.run(
            leaving: isShowing ? topViewController?.loadedView : nil,
            entering: isShowing ? controller?.frontmostPresented.loadedView : nil
        ) {
            forgetRoot()
            guard let controller else { return }
            tellLeft = controller.slipOut()
            controller.loadedView?.removeFromSuperview()
            root = controller
            controller.rootWindow = self
        }
        tellLeft()
        if wasChild, let controller, controller.parent == nil {
            controller.didMove(toParent: nil)
        }
    }

    /// The root stands here no more; tells nobody.
    func forgetRoot() {
        root?.rootWindow = nil
        root = nil
    }

    // MARK: What a person sees and does

    /// The controller that covers all others: what was presented last; the root if nothing is.
    public var topViewController: ViewController? { root?.frontmostPresented }

    /// The controllers that are shown: the one that covers all others, and what is inside of it,
    /// containers before their children.
    package var shownViewControllers: [ViewController] {
        var shown = topViewController.map { [$0] } ?? []
        var place = 0
        while place < shown.count {
            shown += shown[place].childrenToShow
            place += 1
        }
        return shown
    }

    /// A person takes away what was presented last.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if nothing is presented.
    public func dismissTopmost() throws(OperationError) {
        guard let presented = controllerLeftByDismissing else {
            throw .notPossible("nothing is presented")
        }
        presented.dismiss()
    }

    /// Every controller of the window, parents first.
    package var controllers: [ViewController] { rootViewController?.heldControllers ?? [] }

    /// The controller that ``dismissTopmost()`` leaves, or `nil` if nothing is presented.
    package var controllerLeftByDismissing: ViewController? {
        topViewController.flatMap { $0.presenter == nil ? nil : $0 }
    }

    /// A person goes back in the innermost navigation controller on screen that can.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if none has.
    public func goBack() throws(OperationError) {
        guard let stack = stackToGoBack else {
            throw .notPossible("no navigation controller is shown")
        }
        try stack.goBack()
    }

    /// The controller that ``goBack()`` leaves, or `nil` if there is nothing to go back to.
    package var controllerLeftByGoingBack: ViewController? {
        stackToGoBack?.controllerLeftByGoingBack
    }

    /// The innermost stack on screen in which a person can go back, or the innermost one if none can.
    private var stackToGoBack: NavigationController? {
        let shown = topViewController?.loadedView?.controllersInside ?? []
        let stacks = shown.compactMap { $0 as? NavigationController }
        return stacks.last { $0.viewControllers.count > 1 } ?? stacks.last
    }

    /// What a person would see, with what its parts stand for.
    ///
    /// - Parameter columns: the width of the picture, which has no frame.
    package func picture(columns: Int) -> TextCanvas {
        var canvas = TextCanvas(width: columns)
        draw(on: &canvas)
        return canvas
    }

    private func draw(on canvas: inout TextCanvas) {
        if isKeyWindow, let view = topViewController?.view { canvas.draw(view) }
    }

    /// The window as text: what a person would see.
    ///
    /// - Parameter columns: the width of the picture, frame included.
    public func drawn(columns: Int = 44) -> String {
        var canvas = TextCanvas(width: columns - 4)
        draw(on: &canvas)
        return canvas.framed
    }
}

/// Decides over an application's scene and makes its window.
///
/// `application(_:willFinishLaunchingWith:)` makes the window and calls
/// ``Window/makeKeyAndVisible()``; `application(_:didFinishLaunchingWith:)` makes what was not
/// restored (R1).
public protocol ApplicationDelegate: RestorationDelegate {
    /// The scene's window; nil before the launch made it, and the same one from then on.
    var window: Window? { get }
}

extension ApplicationDelegate {
    /// The window's root view controller (P5).
    public var restorationRoot: (any StateRestoring)? { window?.rootViewController }

    /// The window, drawn as text.
    public func snapshot(of scene: Scene) -> String? { window?.drawn() }

    /// Lets the window's controllers appear.
    public var launchObserver: LaunchObserver? {
        LaunchObserver { [weak self] in self?.window?.sceneDidLaunch() }
    }
}
