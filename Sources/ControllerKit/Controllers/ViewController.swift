public import StateRestoration

/// A headless view controller: its view is drawn as text instead of pixels.
///
/// Each view controller owns a view and is part of a tree of controllers.
///
/// A subclass builds its interface in ``viewDidLoad()``. To preserve state, it overrides
/// ``encodeRestorableState(with:)`` and ``decodeRestorableState(with:)`` and calls `super` in both.
///
/// A controller adds child controllers with ``addChild(_:)`` and presents another controller with ``present(_:)``.
/// Methods such as ``viewWillAppear()`` are called when the controller's view appears or disappears.
open class ViewController: StateRestoring, StoryboardConfigurable, Editable {
    /// The node that represents the controller in preservation and restoration.
    public let restoration = RestorationNode()

    /// The title that a navigation bar shows for the controller.
    public var title = ""
    /// The controller's container, or `nil` if there is none.
    public var parent: ViewController? { parentLink.object }
    var parentLink = WeakLink<ViewController>()
    /// Whether the controller is no longer among its container's children but its view has not been removed yet.
    var isLeavingParent = false
    /// The child controllers, in order.
    public internal(set) var children: [ViewController] = []
    /// The controller that this controller presents, or `nil` if it presents none.
    ///
    /// A controller that presents another controller has no container (I4).
    var presentedController: ViewController?
    /// The controller that presents this controller, or `nil` if there is none.
    var presenter: ViewController? {
        get { presenterLink.object }
        set { presenterLink.object = newValue }
    }
    private var presenterLink = WeakLink<ViewController>()
    /// The window that has this controller as its root, or `nil` if there is none.
    var rootWindow: Window? {
        get { rootWindowLink.object }
        set { rootWindowLink.object = newValue }
    }
    private var rootWindowLink = WeakLink<Window>()
    /// Appearance state of the controller, derived from the appearance methods that have been called on it.
    var appearance = Appearance.hidden
    /// The view of the shown child, in a container that shows one child at a time.
    var shownChildView: View? {
        get { shownChildViewLink.object }
        set { shownChildViewLink.object = newValue }
    }
    private var shownChildViewLink = WeakLink<View>()

    /// The navigation item, or `nil` if it has not been accessed yet.
    var existingNavigationItem: NavigationItem?
    /// A bar button that turns edit mode on and off.
    ///
    /// Its title describes the effect of the next tap.
    public private(set) lazy var editButtonItem: BarButtonItem = EditButtonItem(of: self)

    /// The controller's view, or `nil` if the view has not been loaded.
    private(set) var loadedView: View?
    /// Whether the view is being loaded.
    ///
    /// The view is not on the screen until it is loaded.
    private(set) var isLoadingView = false
    /// Storage of ``isEditing``, unless a subclass overrides it.
    private var isEditModeOn = false
    /// The views, segues and other parts that a storyboard defines for the controller.
    var storyboardParts = StoryboardParts()
    /// The controller's tasks (S4), or `nil` if it has never run a task.
    var tasks: ControllerTasks?

    /// Creates a controller.
    ///
    /// The view is loaded on first access.
    public required init() {}

    /// The identifier of the controller among its siblings, or `nil` if the controller is not preserved (I1).
    public var restorationIdentifier: RestorationIdentifier? {
        get { restoration.identifier }
        set {
            guard newValue != restoration.identifier else { return }
            restoration.identifier = newValue
            // Containers and presenters refer only to controllers with identifiers.
            restorationParent?.invalidateRestorableState()
        }
    }

    /// The parts that a storyboard must define for a controller of this class.
    ///
    /// A storyboard that lacks one of these parts is refused when it is read. Using a part that is neither listed here
    /// nor defined in the storyboard is a programming error and traps.
    open class var storyboardRequirements: StoryboardRequirements { StoryboardRequirements() }

    // MARK: View

    /// The controller's view, which is loaded on first access.
    public var view: View {
        if let loadedView { return loadedView }
        let view = makeView()
        view.ownerLink.object = self
        loadedView = view
        isLoadingView = true
        for outlet in storyboardParts.consumePendingViews() where outlet !== view {
            view.addSubview(outlet)
        }
        viewDidLoad()
        isLoadingView = false
        restoration.invalidateStructure()
        return view
    }

    /// Whether the view has been loaded.
    public var isViewLoaded: Bool { loadedView != nil }

    /// Loads the view if it has not been loaded yet.
    public func loadViewIfNeeded() {
        _ = view
    }

    /// Creates the view.
    ///
    /// The default implementation returns an empty view, to which the storyboard's views are added.
    open func makeView() -> View { View() }

    /// Called once, after the view has been loaded.
    ///
    /// In a container that shows one child at a time, the default implementation shows that child.
    open func viewDidLoad() {
        updateShownChild()
    }

    // MARK: Segues

    /// Returns whether a control may perform its segue now.
    ///
    /// The default implementation returns `true`.
    ///
    /// - Parameters:
    ///   - identifier: The segue's name in this controller.
    ///   - sender: The tapped control.
    open func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { true }

    /// Prepares the destination of a segue that is about to be performed.
    ///
    /// - Parameters:
    ///   - segue: The segue from this controller to ``Segue/destination``.
    ///   - sender: The tapped control, or the object that was passed to ``performSegue(withIdentifier:sender:)``.
    open func prepare(for segue: Segue, sender: Any?) {}

    // MARK: Dismissal

    /// Whether the controller has unsaved changes, so that the user must confirm its dismissal.
    ///
    /// The default is `false`.
    ///
    /// This property affects only the user's actions. When the user presses Escape in `reprisectl attach`, the client
    /// asks for confirmation before it dismisses the controller or one of its containers. Unlike in UIKit, it also asks
    /// before it goes back from the controller in a navigation stack. Methods that the program calls, such as
    /// ``dismiss()``, do not ask.
    ///
    /// The value is not preserved. A controller that preserves its unsaved changes overrides this property and derives
    /// the value from them.
    open var isModalInPresentation = false

    // MARK: Containment

    /// Called before the controller is added to a container, or removed from its container (`parent` is `nil`).
    ///
    /// A custom container calls this method before it removes a child. ``addChild(_:)`` calls it automatically.
    open func willMove(toParent parent: ViewController?) {}

    /// Called after the controller has been added to a container, or removed from its container (`parent` is `nil`).
    ///
    /// A custom container calls this method after it has added a child's view. ``removeFromParent()`` calls it
    /// automatically.
    open func didMove(toParent parent: ViewController?) {}

    /// Shows a controller in the primary context.
    ///
    /// The nearest navigation controller pushes the controller onto its stack. If there is no navigation controller,
    /// the controller is presented.
    open func show(_ controller: ViewController) {
        if let parent { parent.show(controller) } else { present(controller) }
    }

    /// Shows a controller in the secondary (detail) context.
    ///
    /// The nearest split view controller shows the controller in its secondary column. If there is no split view
    /// controller, the controller is presented.
    open func showDetail(_ controller: ViewController) {
        if let parent { parent.showDetail(controller) } else { present(controller) }
    }

    /// The child to show, in containers that show one child at a time.
    var childToShow: ViewController? { nil }
    /// The children to show: one child, or several children side by side.
    var childrenToShow: [ViewController] { childToShow.map { [$0] } ?? [] }

    /// Called after children have been added or removed, including children that another container has added.
    func childrenDidChange() {}

    // MARK: Appearance

    /// Called before the controller's view appears on the screen.
    ///
    /// This method is not called until the launch has finished and the controller's state has been restored.
    open func viewWillAppear() {}

    /// Called after the controller's view has appeared on the screen.
    open func viewDidAppear() {}

    /// Called before the controller's view is removed from the screen or covered.
    open func viewWillDisappear() {}

    /// Called after the controller's view has been removed from the screen or covered.
    open func viewDidDisappear() {}

    // MARK: Editing

    /// Whether the controller is in edit mode.
    ///
    /// The value is preserved (V2).
    open var isEditing: Bool { isEditModeOn }

    /// Turns edit mode on or off.
    ///
    /// A subclass overrides this method to update its views.
    open func setEditing(_ isOn: Bool) {
        guard isOn != isEditModeOn else { return }
        isEditModeOn = isOn
        invalidateRestorableState()
    }

    /// Turns edit mode on or off on behalf of the user.
    open func changeEditing(_ isOn: Bool) throws(OperationError) {
        setEditing(isOn)
    }

    // MARK: Storyboard

    /// The maximum number of children that a storyboard can list for a controller of this class.
    ///
    /// The limit is checked when the storyboard is read. By default, there is no limit.
    open class var maximumStoryboardChildren: Int { .max }

    /// Adds the children that are listed in a storyboard.
    open func setStoryboardChildren(_ children: [ViewController]) {
        for child in children { addChild(child) }
    }

    /// The properties that storyboards can set and commands can show.
    ///
    /// The properties that the controller's own class declares come first.
    open var properties: [Property] {
        [
            Property("title", of: self, \.title),
            Property("isViewLoaded", .bool(self.isViewLoaded)),
            Property("isEditing", self.isEditing ? .bool(true) : nil),
        ]
    }

    // MARK: StateRestoring

    /// The kind of object: a view controller.
    public final var restorationKind: RestorationKind { .viewController }

    /// The controller's container or presenter (I4), or `nil` if it has neither.
    open var restorationParent: (any StateRestoring)? { parent ?? presenter }

    /// Whether children with equal identifiers are distinguished by their order (I3).
    ///
    /// The default is `false`.
    open var allowsDuplicateChildIdentifiers: Bool { false }

    /// The key under which the controller encodes a stack of children (R8), or `nil` if its children are not a stack.
    ///
    /// The default is `nil`.
    open var restorationStackKey: StaticString? { nil }

    /// Calls a closure with the loaded view, the navigation item, the children, and the presented controller.
    public final func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        if let loadedView { body(loadedView) }
        if let existingNavigationItem { body(existingNavigationItem) }
        for child in children { body(child) }
        if let presentedController { body(presentedController) }
    }

    /// Loads the view before the launch searches for subviews and decodes their state (R10).
    public final func loadRestorationChildren() {
        loadViewIfNeeded()
    }

    /// Calls a closure with each storyboard view that has not been added to the controller's view yet.
    public final func forEachPendingChild(_ body: (any StateRestoring) -> Void) {
        storyboardParts.forEachPendingView(body)
    }

    /// Whether the controller has a container or a presenter.
    ///
    /// The value is `false` for a window's root controller.
    public final var isInObjectTree: Bool { restorationParent != nil }

    /// Visits the `@Restorable` properties.
    ///
    /// The default implementation does nothing.
    open func restorables(_ visitor: inout some RestorableVisitor) {}

    /// Encodes the controller's state.
    ///
    /// The default implementation encodes the edit mode (V2) and a reference to the presented controller (P10).
    open func encodeRestorableState(with coder: StateEncoder) throws {
        if isEditing { coder.encode(true, forKey: "isEditing") }
        guard let presentedController, presentedController.restorationIdentifier != nil else {
            return
        }
        coder.encode(presentedController, forKey: "presentedViewController")
    }

    /// Decodes the controller's state.
    ///
    /// The default implementation restores the edit mode. It also presents the controller that was presented when the
    /// state was saved, if that controller has been restored (V8, R8).
    open func decodeRestorableState(with coder: StateDecoder) throws {
        let wasEditing = try coder.decode(Bool.self, forKey: "isEditing") ?? false
        if wasEditing != isEditing { setEditing(wasEditing) }
        let savedController: ViewController? = try coder.decodeObject(
            forKey: "presentedViewController")
        if let savedController { restorePresentedController(savedController) }
    }

    /// Called after every object in the scene has decoded its state.
    open func applicationFinishedRestoringState() {}
}
