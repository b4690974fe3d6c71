import ExactText
public import StateRestoration

extension ViewController {
    /// The storyboard that made the controller.
    public internal(set) var storyboard: (any Storyboard)? {
        get { stated.storyboard }
        set { stated.storyboard = newValue }
    }

    /// A view or bar button item that the storyboard states for this controller, however deep. Name
    /// it in ``storyboardRequirements``; one that the storyboard does not state traps.
    public func outlet<Outlet: View>(_ name: String, as type: Outlet.Type = Outlet.self) -> Outlet {
        loadViewIfNeeded()
        guard let view = stated.outlets[name] as? Outlet else {
            preconditionFailure(
                "\(Self.self) has no \(Outlet.self) \"\(name)\": name it in storyboardRequirements")
        }
        return view
    }

    /// A new controller from the storyboard that made this one, or from another. Name it in
    /// ``storyboardRequirements``; one that the storyboard does not state traps.
    ///
    /// - Parameters:
    ///   - name: the controller's name in its storyboard.
    ///   - other: the name of the storyboard; nil: the one that made this controller.
    public func storyboardController(
        _ name: String, storyboard other: String? = nil
    ) -> ViewController {
        do {
            guard let storyboard else { throw PropertyError.invalidValue("no storyboard made it") }
            guard let stating = other.map(storyboard.storyboard(named:)) ?? storyboard else {
                throw UnknownStoryboard(name: other ?? "")
            }
            return try stating.instantiateViewController(withIdentifier: name)
        } catch {
            preconditionFailure(
                "\(Self.self) has no controller \"\(name)\": name it in storyboardRequirements (\(error))"
            )
        }
    }

    /// A view that the storyboard states, for ``makeView()`` of a class whose own view it is.
    func statedView(_ name: String) -> View? { stated.waitingView(name) }

    /// A storyboard hands over a view, before the controller's view is loaded, which it comes into
    /// unless it lies in another one already.
    package func addOutlet(_ name: String, _ view: View, in superview: View? = nil) {
        stated.add(name, view, in: superview)
    }

    /// Goes the way that the storyboard states under this name: makes the destination, hands it to
    /// ``prepare(for:sender:)`` and shows it.
    ///
    /// As in UIKit, ``shouldPerformSegue(withIdentifier:sender:)`` is not asked: code that calls
    /// this has decided. Name the segue in ``storyboardRequirements``; one that the storyboard does
    /// not state traps.
    ///
    /// - Parameters:
    ///   - identifier: the segue's name at this controller.
    ///   - sender: what asked for it, for ``prepare(for:sender:)``.
    public func performSegue(withIdentifier identifier: String, sender: Any?) {
        guard let definition = stated.segues[identifier] else {
            preconditionFailure(
                "\(Self.self) has no segue \"\(identifier)\": name it in storyboardRequirements")
        }
        let segue = Segue(
            definition, source: self,
            destination: storyboardController(
                definition.destination, storyboard: definition.storyboard))
        prepare(for: segue, sender: sender)
        segue.perform()
    }

    /// A storyboard hands over the controllers that it states as children.
    package func addStoryboardChildren(_ children: [ViewController]) {
        stated.children = children.compactMap { $0.restorationIdentifier?.text }
        setStoryboardChildren(children)
    }

    /// Stores which children the storyboard gave, so that a later launch can tell one that it does
    /// not state any more from one that code added.
    func encodeStoryboardChildren(with coder: StateEncoder) {
        let standing = children.compactMap { $0.restorationIdentifier?.text }
        let names =
            stated.children + stated.formerChildren.filter { !standing.contains($0) }
        if !names.isEmpty { coder.encode(names, forKey: Self.storyboardChildrenKey) }
    }

    /// Takes back which children a storyboard gave.
    func decodeStoryboardChildren(with coder: StateDecoder) throws {
        let saved = try coder.decode([String].self, forKey: Self.storyboardChildrenKey) ?? []
        stated.formerChildren = saved.filter { !stated.children.contains($0) }
    }

    /// Whether the storyboard stated a child of this identifier when the state was saved, and does
    /// not any more.
    public final func hasLostStoryboardChild(
        _ identifier: RestorationIdentifier, savedBy coder: StateDecoder
    ) -> Bool {
        if stated.children.contains(identifier.text) { return false }
        do {
            let saved = try coder.decode([String].self, forKey: Self.storyboardChildrenKey)
            return saved?.contains(identifier.text) == true
        } catch {
            return false  // The controller's own decoding reports it.
        }
    }

    private static let storyboardChildrenKey: StaticString = "storyboardChildren"

    /// A storyboard hands over a segue.
    package func addSegue(_ definition: SegueDefinition) {
        stated.segues[definition.identifier] = definition
    }

    /// A storyboard lets a control perform a segue when a person taps it.
    package func performSegue(_ identifier: String, whenTapped control: Control) {
        control.addAction(for: .primaryActionTriggered) { [weak self, weak control] in
            guard let self, shouldPerformSegue(withIdentifier: identifier, sender: control) else {
                return
            }
            performSegue(withIdentifier: identifier, sender: control)
        }
    }
}

/// A side of a navigation bar.
package enum BarSide: String, Sendable, CaseIterable {
    /// Beside the way back.
    case left = "leftBarButtonItems"
    /// At the other end.
    case right = "rightBarButtonItems"
}

extension ViewController {
    /// A storyboard hands over a button for the navigation bar, behind those of its side.
    package func addBarButtonItem(_ name: String, _ item: BarButtonItem, on side: BarSide) {
        switch side {
        case .left: navigationItem.leftBarButtonItems.append(item)
        case .right: navigationItem.rightBarButtonItems.append(item)
        }
        addOutlet(name, item, in: navigationItem)
    }
}

/// The parts that a storyboard states for a controller that it made.
struct StatedParts {
    /// The storyboard.
    var storyboard: (any Storyboard)?
    /// The identifiers of the children that the storyboard stated.
    var children: [String] = []
    /// The identifiers of children that it stated when the restored state was saved, and does not
    /// state any more.
    var formerChildren: [String] = []
    /// The segues, by their names.
    var segues: [ExactString: SegueDefinition] = [:]
    /// The views and bar button items that lie somewhere, by their names.
    private(set) var outlets: [ExactString: View] = [:]
    /// Views that wait for the controller's view.
    private var waiting: [(name: String, view: View)] = []

    /// Takes over a view.
    ///
    /// - Parameter superview: the view in which it lies already; nil: it waits for the
    ///   controller's.
    mutating func add(_ name: String, _ view: View, in superview: View?) {
        if superview == nil { waiting.append((name, view)) } else { outlets[name] = view }
    }

    /// A view that waits for the controller's, or is to be it.
    func waitingView(_ name: String) -> View? {
        waiting.first { $0.name == name }?.view
    }

    /// Hands over the views that wait for the controller's.
    func forEachWaiting(_ body: (View) -> Void) {
        for (_, view) in waiting { body(view) }
    }

    /// The views that waited for the controller's, which was made: they are outlets from now on.
    mutating func takeWaiting() -> [View] {
        defer { waiting = [] }
        for (name, outlet) in waiting { outlets[name] = outlet }
        return waiting.map(\.view)
    }
}
