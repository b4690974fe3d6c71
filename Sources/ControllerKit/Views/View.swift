public import StateRestoration

/// A view that is drawn as text instead of pixels.
///
/// A view is preserved if it has a restoration identifier and its view controller is preserved. Its superviews do not
/// need identifiers (P11).
open class View: StateRestoring, StoryboardConfigurable {
    /// The node that represents the view in preservation and restoration.
    public let restoration = RestorationNode()

    /// The view that contains this view, or `nil` if there is none.
    public var superview: View? { superviewLink.object }
    /// The view's direct subviews, from back to front.
    public private(set) var subviews: [View] = []
    /// The controller that has this view as its root view or navigation item, or `nil` if there is none.
    public var owner: ViewController? { ownerLink.object }
    /// Whether the view is hidden from the user.
    public var isHidden = false
    private var superviewLink = WeakLink<View>()
    var ownerLink = WeakLink<ViewController>()

    /// Creates an empty view.
    public required init() {}

    /// The identifier of the view within its controller, or `nil` if the view is not preserved (I1).
    public var restorationIdentifier: RestorationIdentifier? {
        get { restoration.identifier }
        set { restoration.identifier = newValue }
    }

    /// The controller to which the view belongs, directly or through its superviews, or `nil` if there is none.
    public var viewController: ViewController? {
        owner ?? superview?.viewController
    }

    /// Adds a view in front of the other subviews, after removing it from its current superview.
    ///
    /// This method calls the appearance methods of controllers that appear or disappear. Adding this view itself, or a
    /// view that contains it, is a programming error and traps.
    public func addSubview(_ view: View) {
        insertSubview(view, at: .max)
    }

    /// Inserts a view among the subviews, like ``addSubview(_:)``.
    ///
    /// - Parameters:
    ///   - view: The view to insert.
    ///   - index: The index among the subviews, where 0 is at the back. If the index is too large, the view is added at
    ///     the front.
    public func insertSubview(_ view: View, at index: Int) {
        precondition(!isDescendant(of: view), "a view cannot contain itself: \(type(of: view))")
        let isShown = isOnScreen
        let wasShown = view.isOnScreen
        AppearanceTransition.run(
            leaving: wasShown && !isShown ? view : nil, entering: isShown && !wasShown ? view : nil
        ) {
            view.leaveSuperview()
            view.superviewLink.object = self
            subviews.insert(view, at: min(max(index, 0), subviews.count))
            restorableStructureDidChange()
        }
    }

    /// Removes the view from its superview.
    ///
    /// This method calls the appearance methods of controllers that disappear.
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
        superviewLink.object = nil
    }

    /// Invalidates the view and its controller, so that the next pass saves both (P14).
    ///
    /// The controller is also invalidated, because its state often contains values that its views show.
    public func restorableStateDidChange() {
        invalidateRestorableState()
        viewController?.invalidateRestorableState()
    }

    private func restorableStructureDidChange() {
        viewController?.restoration.invalidateStructure()
    }

    /// Draws the view as text.
    ///
    /// The default implementation draws the subviews, one below the other.
    open func draw(on canvas: inout TextCanvas) {
        canvas.draw(subviews.filter { !$0.isHidden })
    }

    /// Returns elements that describe what the view shows, for clients that do not show it as drawn text.
    ///
    /// Override this method in a view that draws more than its subviews. The default implementation returns the
    /// elements of the subviews. For a subclass without visible subviews, it returns the drawing as a text element.
    ///
    /// - Parameter maximumRows: The maximum number of rows to return for each list.
    open func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        if subviews.allSatisfy(\.isHidden) {
            return drawnAccessibilityElement().map { [$0] } ?? []
        }
        return accessibilityElements(of: subviews, maximumRows: maximumRows)
    }

    /// Whether the view has scrollable content, and therefore fills the lines that other views leave free.
    var fillsHeight: Bool { subviews.contains { !$0.isHidden && $0.fillsHeight } }

    /// Returns the number of lines needed to draw all of the view's content, or `Int.max` if it is unknown.
    func contentHeight(columns: Int) -> Int { .max }

    /// The properties that storyboards can set and commands can show.
    ///
    /// The properties that the view's own class declares come first.
    open var properties: [Property] {
        [Property("isHidden", of: self, \.isHidden)]
    }

    // MARK: StateRestoring

    /// The kind of object: a view.
    public final var restorationKind: RestorationKind { .view }

    /// Whether the view is neither a controller's root view nor a navigation item.
    public final var isListedByClass: Bool { owner == nil }

    /// The view's controller (I2).
    public final var restorationParent: (any StateRestoring)? { viewController }

    /// Calls a closure with each subview that is not the root view of another controller.
    public final func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        for view in subviews where view.owner == nil { body(view) }
    }

    /// Visits the `@Restorable` properties.
    ///
    /// The default implementation does nothing.
    open func restorables(_ visitor: inout some RestorableVisitor) {}

    /// Encodes the view's state.
    ///
    /// The default implementation encodes nothing.
    open func encodeRestorableState(with coder: StateEncoder) throws {}

    /// Decodes the view's state.
    ///
    /// The default implementation decodes nothing.
    open func decodeRestorableState(with coder: StateDecoder) throws {}

    /// Called after every object in the scene has decoded its state.
    open func applicationFinishedRestoringState() {}
}
