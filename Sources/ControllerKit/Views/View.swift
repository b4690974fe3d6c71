public import StateRestoration

/// A headless view: something a person would see and touch, without pixels.
///
/// A view takes part in preservation if it has a restoration identifier and its view controller is
/// preserved; the views around it need none (P11).
open class View: StateRestoring, StoryboardConfigurable {
    /// The view's place in preservation.
    public let restoration = RestorationNode()

    /// The view that this one lies in.
    public private(set) weak var superview: View?
    /// The views that lie in this one, the lowest first.
    public private(set) var subviews: [View] = []
    /// The controller whose root view, or navigation item, this is.
    public internal(set) weak var owner: ViewController?
    /// Whether a person sees nothing of the view.
    public var isHidden = false

    /// An empty view.
    public required init() {}

    /// The name under which the view takes part in preservation (I1).
    public var restorationIdentifier: RestorationIdentifier? {
        get { restoration.identifier }
        set { restoration.identifier = newValue }
    }

    /// The controller that the view belongs to.
    public var viewController: ViewController? {
        owner ?? superview?.viewController
    }

    /// Puts a view on top of those that lie in this one, out of where it lay. The controllers that
    /// thereby come onto the screen, or leave it, are told.
    ///
    /// A view in which this one lies, or this one, is a programming error and traps.
    public func addSubview(_ view: View) {
        insertSubview(view, at: .max)
    }

    /// Puts a view among those that lie in this one, like ``addSubview(_:)``.
    ///
    /// - Parameters:
    ///   - view: the view.
    ///   - index: its place among them, the lowest is 0; beyond them it is on top.
    public func insertSubview(_ view: View, at index: Int) {
        precondition(!lies(in: view), "a view cannot contain itself: \(type(of: view))")
        let isShown = isOnScreen
        let wasShown = view.isOnScreen
        AppearanceTransition.run(
            leaving: wasShown && !isShown ? view : nil, entering: isShown && !wasShown ? view : nil
        ) {
            view.leaveSuperview()
            view.superview = self
            subviews.insert(view, at: min(max(index, 0), subviews.count))
            restorableStructureDidChange()
        }
    }

    /// Takes the view out of its superview. Controllers that leave the screen are told.
    public func removeFromSuperview() {
        guard superview != nil else { return }
        AppearanceTransition.run(leaving: isOnScreen ? self : nil, entering: nil) {
            leaveSuperview()
        }
    }

    private func leaveSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        superview.restorableStructureDidChange()
        self.superview = nil
    }

    /// The visible content of the view changed: it is saved again, and so is its controller, whose
    /// state often holds what its views show (P14).
    public func restorableStateDidChange() {
        invalidateRestorableState()
        viewController?.invalidateRestorableState()
    }

    private func restorableStructureDidChange() {
        viewController?.restoration.invalidateStructure()
    }

    /// Draws the view as text. The default draws the views that lie in it, one below the other.
    open func draw(on canvas: inout TextCanvas) {
        for view in subviews where !view.isHidden { canvas.draw(view) }
    }

    /// The properties that a storyboard states and commands show, those of the own class first.
    open var properties: [Property] {
        [Property("isHidden", of: self, \.isHidden)]
    }

    // MARK: StateRestoring

    /// A view.
    public final var restorationKind: RestorationKind { .view }

    /// False of a controller's root view and of its navigation item.
    public final var isListedByClass: Bool { owner == nil }

    /// The view's controller (I2).
    public final var restorationParent: (any StateRestoring)? { viewController }

    /// The views that lie in this one, without those of other controllers.
    public final func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        for view in subviews where view.owner == nil { body(view) }
    }

    /// Hands over the `@Restorable` properties. The default has none.
    open func restorables(_ visitor: inout some RestorableVisitor) {}

    /// Stores what the view preserves of itself. The default stores nothing.
    open func encodeRestorableState(with coder: StateEncoder) throws {}

    /// Takes back what the view preserved of itself. The default takes nothing.
    open func decodeRestorableState(with coder: StateDecoder) throws {}

    /// Every object of the scene has decoded its state.
    open func applicationFinishedRestoringState() {}
}
