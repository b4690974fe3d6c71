public import StateRestoration

/// A window that shows a scene's root view controller and the controllers presented over it.
public final class Window {
    /// Storage of ``rootViewController``.
    private var root: ViewController?

    /// The controller at the root of the scene's tree (P5), or `nil` if there is none.
    ///
    /// Setting a controller removes it from its current container, presenter or window.
    public var rootViewController: ViewController? {
        get { root }
        set { replaceRoot(with: newValue) }
    }

    /// Whether the window is visible and shows its root.
    public private(set) var isKeyWindow = false
    /// Whether the scene's launch has finished.
    ///
    /// No controller appears before the launch has finished.
    private var isLaunched = false

    /// Whether the window is visible and the scene's launch has finished.
    var isShowing: Bool { isKeyWindow && isLaunched }

    /// Creates a window without a root.
    public init() {}

    /// Loads the root's view and shows the window (R1).
    ///
    /// The appearance methods of the visible controllers are called once the launch has finished.
    public func makeKeyAndVisible() {
        guard !isKeyWindow else { return }
        rootViewController?.loadViewIfNeeded()
        runAppearanceTransition { isKeyWindow = true }
    }

    /// Calls the appearance methods of the visible controllers after the scene's launch has finished.
    package func sceneDidLaunch() {
        guard !isLaunched else { return }
        runAppearanceTransition { isLaunched = true }
    }

    private func runAppearanceTransition(_ change: () -> Void) {
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
        var notifyFormerContainer: () -> Void = {}
        AppearanceTransition.run(
            leaving: isShowing ? topViewController?.loadedView : nil,
            entering: isShowing ? controller?.frontmostPresentedController.loadedView : nil
        ) {
            detachRoot()
            guard let controller else { return }
            notifyFormerContainer = controller.detachWithoutNotifying()
            controller.loadedView?.removeFromSuperview()
            root = controller
            controller.rootWindow = self
        }
        notifyFormerContainer()
        if wasChild, let controller, controller.parent == nil {
            controller.didMove(toParent: nil)
        }
    }

    /// Removes the root without notifying any objects.
    func detachRoot() {
        root?.rootWindow = nil
        root = nil
    }

    // MARK: Content and user operations

    /// The topmost presented controller, or the root if no controller is presented.
    public var topViewController: ViewController? { root?.frontmostPresentedController }

    /// The topmost controller and the controllers that are shown in it, containers first.
    package var shownViewControllers: [ViewController] {
        var shownControllers = topViewController.map { [$0] } ?? []
        var index = 0
        while index < shownControllers.count {
            shownControllers += shownControllers[index].childrenToShow
            index += 1
        }
        return shownControllers
    }

    /// Dismisses the topmost presented controller on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if no controller is presented.
    public func dismissTopmost() throws(OperationError) {
        guard let presentedController = controllerToDismiss else {
            throw .notPossible("nothing is presented")
        }
        presentedController.dismiss()
    }

    /// All controllers in the window's tree, parents first.
    package var controllers: [ViewController] { rootViewController?.controllersInTree ?? [] }

    /// The controller that ``dismissTopmost()`` dismisses, or `nil` if no controller is presented.
    package var controllerToDismiss: ViewController? {
        topViewController.flatMap { $0.presenter == nil ? nil : $0 }
    }

    /// Returns a drawing of the window's content, including its parts and their roles.
    ///
    /// - Parameters:
    ///   - columns: The width of the drawing in columns. The drawing has no frame.
    ///   - lines: The number of lines that the drawing fills if it contains views with scrollable content, or `nil` to
    ///     draw each view at its own size. The state of the views does not change.
    package func render(columns: Int, lines: Int? = nil) -> TextCanvas {
        var canvas = TextCanvas(width: columns, height: lines)
        draw(on: &canvas)
        return canvas
    }

    private func draw(on canvas: inout TextCanvas) {
        if isKeyWindow, let view = topViewController?.view { canvas.draw(view) }
    }

    /// Returns the content of the window as text.
    ///
    /// - Parameter columns: The width of the drawing in columns, including the frame.
    public func drawn(columns: Int = 44) -> String {
        var canvas = TextCanvas(width: columns - 4)
        draw(on: &canvas)
        return canvas.framed
    }
}

/// A delegate that controls restoration and creates a scene's window.
///
/// `application(_:willFinishLaunchingWith:)` creates the window and calls ``Window/makeKeyAndVisible()``.
/// `application(_:didFinishLaunchingWith:)` creates the objects that were not restored (R1).
public protocol ApplicationDelegate: RestorationDelegate {
    /// The scene's window, or `nil` before the launch creates it.
    ///
    /// After the window has been created, the property does not change.
    var window: Window? { get }
}

extension ApplicationDelegate {
    /// The window's root view controller (P5).
    public var restorationRoot: (any StateRestoring)? { window?.rootViewController }

    /// Returns the content of the window as text, or `nil` if there is no window.
    public func snapshot(of scene: Scene) -> String? { window?.drawn() }

    /// An observer that makes the window's controllers appear after the launch.
    public var launchObserver: LaunchObserver? {
        LaunchObserver { [weak self] in self?.window?.sceneDidLaunch() }
    }
}
