public import StateRestoration

/// A headless view controller: owns a view, and stands in a tree of controllers.
///
/// A subclass builds its interface in ``viewDidLoad()`` and overrides
/// ``encodeRestorableState(with:)`` and ``decodeRestorableState(with:)``, calling `super` in each.
open class ViewController: StateRestoring, StoryboardConfigurable {
    /// The controller's place in preservation.
    public let restoration = RestorationNode()

    /// What a navigation bar shows for the controller.
    public var title = ""
    /// The storyboard that made the controller.
    public internal(set) var storyboard: (any Storyboard)?
    /// The container that holds the controller.
    public internal(set) weak var parent: ViewController?
    /// The controllers that this one holds, in order.
    public private(set) var children: [ViewController] = []

    /// What a navigation bar shows while this controller is on top, besides its title.
    public private(set) lazy var navigationItem: NavigationItem = {
        let item = NavigationItem()
        item.owner = self
        hasNavigationItem = true
        restoration.invalidateStructure()
        return item
    }()
    private var hasNavigationItem = false

    private var loadedView: View?
    private var outlets: [String: View] = [:]
    /// What the controller runs (S4); nil before it ran anything.
    var tasks: ControllerTasks?

    /// A controller whose view is not loaded yet.
    public required init() {}

    /// The name under which the controller takes part in preservation (I1).
    public var restorationIdentifier: RestorationIdentifier? {
        get { restoration.identifier }
        set { restoration.identifier = newValue }
    }

    /// What a storyboard must state for a controller of this class; checked when it is read.
    open class var storyboardRequirements: StoryboardRequirements { StoryboardRequirements() }

    // MARK: View

    /// The controller's view, loaded when first asked for.
    public var view: View {
        if let loadedView { return loadedView }
        let view = makeView()
        view.owner = self
        loadedView = view
        for (name, outlet) in pendingOutlets {
            outlets[name] = outlet
            if outlet !== view { view.addSubview(outlet) }
        }
        pendingOutlets = []
        viewDidLoad()
        restoration.invalidateStructure()
        return view
    }

    private var pendingOutlets: [(name: String, view: View)] = []

    /// Whether the view was loaded.
    public var isViewLoaded: Bool { loadedView != nil }

    /// Loads the view if it was not.
    public func loadViewIfNeeded() {
        _ = view
    }

    /// A view that the storyboard states, for ``makeView()`` of a class whose own view it is.
    func statedView(_ name: String) -> View? {
        pendingOutlets.first { $0.name == name }?.view
    }

    /// Makes the view. The default is an empty one, into which the storyboard's views go.
    open func makeView() -> View { View() }

    /// The view was loaded; runs once.
    open func viewDidLoad() {}

    /// A view that the storyboard states for this controller, by its name there.
    ///
    /// A subclass names it in ``storyboardRequirements``, so that a storyboard without it is
    /// refused when it is read. A name that stands in neither is a programming error and traps.
    public func outlet<Outlet: View>(
        _ name: String, as type: Outlet.Type = Outlet.self
    ) -> Outlet {
        loadViewIfNeeded()
        guard let view = outlets[name] as? Outlet else {
            preconditionFailure(
                "\(Self.self) has no \(Outlet.self) \"\(name)\": name it in storyboardRequirements")
        }
        return view
    }

    /// A new controller from the storyboard that made this one.
    ///
    /// A subclass names it in ``storyboardRequirements``, so that a storyboard without it is
    /// refused when it is read. A name that does not stand there is a programming error and traps.
    public func storyboardController(_ name: String) -> ViewController {
        do {
            guard let storyboard else { throw PropertyError.invalidValue("no storyboard made it") }
            return try storyboard.instantiateViewController(withIdentifier: name)
        } catch {
            preconditionFailure(
                "\(Self.self) has no controller \"\(name)\": name it in storyboardRequirements (\(error))"
            )
        }
    }

    /// A storyboard hands over a view, before the controller's view is loaded.
    package func addOutlet(_ name: String, _ view: View) {
        pendingOutlets.append((name, view))
    }

    // MARK: Containment

    /// Takes a controller in as the last child. Its view is the caller's to place.
    public func addChild(_ child: ViewController) {
        child.removeFromParent()
        child.parent = self
        children.append(child)
        restoration.invalidateStructure()
        child.startTasksIfAttached()
    }

    /// Leaves the container.
    public func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        parent.restoration.invalidateStructure()
    }

    /// The nearest navigation controller that holds this one.
    public var navigationController: NavigationController? {
        parent as? NavigationController ?? parent?.navigationController
    }

    // MARK: Storyboard

    /// Takes in the controllers that a storyboard states as children.
    open func setStoryboardChildren(_ children: [ViewController]) {
        for child in children { addChild(child) }
    }

    /// Sets `title`.
    open func setProperty(_ name: String, to value: PropertyValue) throws(PropertyError) {
        switch name {
        case "title": title = try value.string()
        default: throw .unknownProperty(known: ["title"])
        }
    }

    /// What there is to tell of the controller besides what it saves, by name. Nothing secret.
    open var inspectedProperties: [String: Value] {
        ["title": .string(title), "isViewLoaded": .bool(isViewLoaded)]
    }

    // MARK: StateRestoring

    /// A view controller.
    public final var restorationKind: RestorationKind { .viewController }

    /// The container (I4).
    open var restorationParent: (any StateRestoring)? { parent }

    /// True of containers whose children may have equal identifiers (I3).
    open var numbersEqualChildren: Bool { false }

    /// Nil: the children are no stack (R8).
    open var restorationStackKey: StaticString? { nil }

    /// The view, if it is loaded, then the children.
    public final func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        if let loadedView { body(loadedView) }
        if hasNavigationItem { body(navigationItem) }
        for child in children { body(child) }
    }

    /// Loads the view, so that it is there when its views are looked for, and before the state is
    /// decoded (R10).
    public final func loadRestorationChildren() {
        loadViewIfNeeded()
    }

    /// Hands over the `@Restorable` properties. The default has none.
    open func restorables(_ visitor: inout some RestorableVisitor) {}

    /// Stores the controller's state. The default stores nothing.
    open func encodeRestorableState(with coder: StateEncoder) throws {}

    /// Takes the controller's state back. The default takes nothing.
    open func decodeRestorableState(with coder: StateDecoder) throws {}

    /// Every object of the scene has decoded its state.
    open func applicationFinishedRestoringState() {}
}
