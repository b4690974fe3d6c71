public import StateRestoration

/// A headless view controller: owns a view, and stands in a tree of controllers.
///
/// A subclass builds its interface in ``viewDidLoad()`` and overrides
/// ``encodeRestorableState(with:)`` and ``decodeRestorableState(with:)``, calling `super` in each.
///
/// It takes in other controllers with ``addChild(_:)``, and covers what is shown with another in
/// ``present(_:)``. What comes onto the screen and leaves it is told to
/// ``viewWillAppear()`` and its like.
open class ViewController: StateRestoring, StoryboardConfigurable, Editable {
    /// The controller's place in preservation.
    public let restoration = RestorationNode()

    /// The title that a navigation bar shows for the controller.
    public var title = ""
    /// The container that holds the controller.
    public internal(set) weak var parent: ViewController?
    /// Whether the container holds the controller no more, and has yet to exchange their views.
    var isLeavingParent = false
    /// The controllers that this one holds, in order.
    public internal(set) var children: [ViewController] = []
    /// The controller that covers this one; then this one lies in no container (I4).
    var presented: ViewController?
    /// The controller that this one covers.
    weak var presenter: ViewController?
    /// The window at whose root the controller stands.
    weak var rootWindow: Window?
    /// Whether the controller is on the screen, as far as it was told.
    var appearance = Appearance.hidden
    /// The view of the child that is shown, of containers that show one child at a time.
    weak var shownChildView: View?

    /// The navigation item, if anybody asked for it.
    var existingNavigationItem: NavigationItem?
    /// Turns the edit mode on and off, and says which comes next.
    public private(set) lazy var editButtonItem: BarButtonItem = EditButtonItem(of: self)

    private(set) var loadedView: View?
    /// Whether the view is being loaded: until then it is not on the screen.
    private(set) var isLoadingView = false
    private var isEditModeOn = false
    /// The parts that a storyboard states for the controller.
    var stated = StatedParts()
    /// The controller's tasks (S4); nil before it ran any.
    var tasks: ControllerTasks?

    /// A controller whose view is not loaded yet.
    public required init() {}

    /// The name under which the controller takes part in preservation (I1).
    public var restorationIdentifier: RestorationIdentifier? {
        get { restoration.identifier }
        set {
            guard newValue != restoration.identifier else { return }
            restoration.identifier = newValue
            // Containers and presenters refer to identified controllers only.
            restorationParent?.invalidateRestorableState()
        }
    }

    /// The parts that a storyboard must state for a controller of this class: one without them is
    /// refused when it is read. Using a part that neither states is a programming error and traps.
    open class var storyboardRequirements: StoryboardRequirements { StoryboardRequirements() }

    // MARK: View

    /// The controller's view, loaded when first asked for.
    public var view: View {
        if let loadedView { return loadedView }
        let view = makeView()
        view.owner = self
        loadedView = view
        isLoadingView = true
        for outlet in stated.takeWaiting() where outlet !== view { view.addSubview(outlet) }
        viewDidLoad()
        isLoadingView = false
        restoration.invalidateStructure()
        return view
    }

    /// Whether the view was loaded.
    public var isViewLoaded: Bool { loadedView != nil }

    /// Loads the view if it was not.
    public func loadViewIfNeeded() {
        _ = view
    }

    /// Makes the view. The default is an empty one, into which the storyboard's views go.
    open func makeView() -> View { View() }

    /// The view was loaded; runs once. A container shows its child.
    open func viewDidLoad() {
        updateShownChild()
    }

    // MARK: Segues

    /// Whether a control of the storyboard may perform its segue now. The default is true.
    ///
    /// - Parameters:
    ///   - identifier: the segue's name at this controller.
    ///   - sender: the control that was tapped.
    open func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { true }

    /// A segue is about to be performed: hand its destination what it is to show.
    ///
    /// - Parameters:
    ///   - segue: leads from this controller to ``Segue/destination``.
    ///   - sender: what asked for it: the tapped control, or what code handed over.
    open func prepare(for segue: Segue, sender: Any?) {}

    // MARK: Dismissal

    /// Whether a person has to confirm that the controller is left, because it holds changes that are not saved.
    /// The default is false.
    ///
    /// It counts for what a person does: Escape in `reprisectl attach` asks before it dismisses the controller,
    /// or a container of it. Unlike in UIKit it also asks before it goes back from the controller in a stack.
    /// ``dismiss()`` and the like are the program's own decision, and do not ask.
    ///
    /// The value is not preserved. A controller that preserves its changes overrides the property to derive it
    /// from them.
    open var isModalInPresentation = false

    // MARK: Containment

    /// The controller is about to come into a container, or to leave its own (nil). A container of
    /// your own calls it before it removes a child; ``addChild(_:)`` calls it by itself.
    open func willMove(toParent parent: ViewController?) {}

    /// The controller came into a container, or left its own (nil). A container of your own calls
    /// it after it placed a child's view; ``removeFromParent()`` calls it by itself.
    open func didMove(toParent parent: ViewController?) {}

    /// Shows a controller where this one stands: the nearest navigation controller puts it on its
    /// stack; without one it is presented.
    open func show(_ controller: ViewController) {
        if let parent { parent.show(controller) } else { present(controller) }
    }

    /// Shows a controller as the details of this one: in the secondary column of the nearest split
    /// controller; without one it is presented.
    open func showDetail(_ controller: ViewController) {
        if let parent { parent.showDetail(controller) } else { present(controller) }
    }

    /// The child to show, of containers that show one child at a time.
    var childToShow: ViewController? { nil }
    /// The children that are shown inside, one or several side by side.
    var childrenToShow: [ViewController] { childToShow.map { [$0] } ?? [] }

    /// Children came or went otherwise than by the container's own methods.
    func childrenDidChange() {}

    // MARK: Appearance

    /// The controller's view comes onto the screen: it will be seen. Told after its state was
    /// restored, and never before the launch has completed.
    open func viewWillAppear() {}

    /// The controller's view came onto the screen.
    open func viewDidAppear() {}

    /// The controller's view leaves the screen: it was removed, or is covered.
    open func viewWillDisappear() {}

    /// The controller's view left the screen.
    open func viewDidDisappear() {}

    // MARK: Editing

    /// Whether the edit mode is on. It is preserved (V2).
    open var isEditing: Bool { isEditModeOn }

    /// Turns the edit mode on or off. A subclass changes with it what it shows.
    open func setEditing(_ isOn: Bool) {
        guard isOn != isEditModeOn else { return }
        isEditModeOn = isOn
        invalidateRestorableState()
    }

    /// A person turns the edit mode on or off.
    open func changeEditing(_ isOn: Bool) throws(OperationError) {
        setEditing(isOn)
    }

    // MARK: Storyboard

    /// The most controllers that a storyboard may state as children of one of this class; checked
    /// when it is read. The default sets no limit.
    open class var maximumStoryboardChildren: Int { .max }

    /// Takes in the controllers that a storyboard states as children.
    open func setStoryboardChildren(_ children: [ViewController]) {
        for child in children { addChild(child) }
    }

    /// The properties that a storyboard states and commands show, those of the own class first.
    open var properties: [Property] {
        [
            Property("title", of: self, \.title),
            Property("isViewLoaded", .bool(self.isViewLoaded)),
            Property("isEditing", self.isEditing ? .bool(true) : nil),
        ]
    }

    // MARK: StateRestoring

    /// A view controller.
    public final var restorationKind: RestorationKind { .viewController }

    /// The container, or what presents the controller (I4).
    open var restorationParent: (any StateRestoring)? { parent ?? presenter }

    /// True of containers whose children may have equal identifiers (I3).
    open var numbersEqualChildren: Bool { false }

    /// Nil: the children are no stack (R8).
    open var restorationStackKey: StaticString? { nil }

    /// The view, if it is loaded, then the children, then what is presented.
    public final func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        if let loadedView { body(loadedView) }
        if let existingNavigationItem { body(existingNavigationItem) }
        for child in children { body(child) }
        if let presented { body(presented) }
    }

    /// Loads the view, before its views are looked for and the state is decoded (R10).
    public final func loadRestorationChildren() {
        loadViewIfNeeded()
    }

    /// The views that a storyboard states, before the view is loaded.
    public final func forEachWaitingChild(_ body: (any StateRestoring) -> Void) {
        stated.forEachWaiting(body)
    }

    /// Whether a container or a presenter holds the controller; of a window's root the window
    /// knows.
    public final var hasPlace: Bool { restorationParent != nil }

    /// Hands over the `@Restorable` properties. The default has none.
    open func restorables(_ visitor: inout some RestorableVisitor) {}

    /// Stores the controller's state. The default stores the edit mode (V2) and a reference to what
    /// is presented (P10).
    open func encodeRestorableState(with coder: StateEncoder) throws {
        if isEditing { coder.encode(true, forKey: "isEditing") }
        guard let presented, presented.restorationIdentifier != nil else { return }
        coder.encode(presented, forKey: "presentedViewController")
    }

    /// Takes the controller's state back. The default takes the edit mode, and presents again what
    /// was presented, unless it was not restored (V8, R8).
    open func decodeRestorableState(with coder: StateDecoder) throws {
        let wasEditing = try coder.decode(Bool.self, forKey: "isEditing") ?? false
        if wasEditing != isEditing { setEditing(wasEditing) }
        let saved: ViewController? = try coder.decodeObject(forKey: "presentedViewController")
        if let saved { presentAgain(saved) }
    }

    /// Every object of the scene has decoded its state.
    open func applicationFinishedRestoringState() {}
}
