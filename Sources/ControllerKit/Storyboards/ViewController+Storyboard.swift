import ExactText
public import StateRestoration

extension ViewController {
    /// The storyboard that created the controller, or `nil` if there is none.
    public internal(set) var storyboard: (any Storyboard)? {
        get { storyboardParts.storyboard }
        set { storyboardParts.storyboard = newValue }
    }

    /// Returns a view or bar button item that the storyboard defines for this controller, at any nesting depth.
    ///
    /// List the view in ``storyboardRequirements``. If the storyboard does not define the view, the call traps.
    public func outlet<Outlet: View>(_ name: String, as type: Outlet.Type = Outlet.self) -> Outlet {
        loadViewIfNeeded()
        guard let view = storyboardParts.outlets[name] as? Outlet else {
            preconditionFailure(
                "\(Self.self) has no \(Outlet.self) \"\(name)\": list it in storyboardRequirements")
        }
        return view
    }

    /// Creates a controller from the storyboard that created this controller, or from another storyboard.
    ///
    /// List the controller in ``storyboardRequirements``. If the storyboard does not define the controller, the call
    /// traps.
    ///
    /// - Parameters:
    ///   - name: The controller's name in its storyboard.
    ///   - other: The name of the storyboard, or `nil` for the storyboard that created this controller.
    public func storyboardController(
        _ name: String, storyboard other: String? = nil
    ) -> ViewController {
        do {
            guard let storyboard else {
                throw PropertyError.invalidValue("it was not created from a storyboard")
            }
            guard let targetStoryboard = other.map(storyboard.storyboard(named:)) ?? storyboard
            else {
                throw UnknownStoryboardError(name: other ?? "")
            }
            return try targetStoryboard.instantiateViewController(withIdentifier: name)
        } catch {
            preconditionFailure(
                "\(Self.self) has no controller \"\(name)\": list it in storyboardRequirements (\(error))"
            )
        }
    }

    /// Returns a storyboard view that ``makeView()`` can use as the controller's view, or `nil` if there is none.
    func storyboardView(_ name: String) -> View? { storyboardParts.pendingView(name) }

    /// Adds a view from a storyboard, before the controller's view is loaded.
    ///
    /// If `superview` is `nil`, the view is added to the controller's view when that view is loaded.
    package func addOutlet(_ name: String, _ view: View, in superview: View? = nil) {
        storyboardParts.add(name, view, in: superview)
    }

    /// Creates the destination of a segue, calls ``prepare(for:sender:)``, and shows the destination.
    ///
    /// As in UIKit, this method does not call ``shouldPerformSegue(withIdentifier:sender:)``. List the segue in
    /// ``storyboardRequirements``. If the storyboard does not define the segue, the call traps.
    ///
    /// - Parameters:
    ///   - identifier: The segue's name in this controller.
    ///   - sender: The object that requested the segue, which is passed to ``prepare(for:sender:)``.
    public func performSegue(withIdentifier identifier: String, sender: Any?) {
        guard let definition = storyboardParts.segues[identifier] else {
            preconditionFailure(
                "\(Self.self) has no segue \"\(identifier)\": list it in storyboardRequirements")
        }
        let segue = Segue(
            definition, source: self,
            destination: storyboardController(
                definition.destinationName, storyboard: definition.storyboardName))
        prepare(for: segue, sender: sender)
        segue.perform()
    }

    /// Records and adds the children that are listed in a storyboard.
    package func addStoryboardChildren(_ children: [ViewController]) {
        storyboardParts.childIdentifiers = children.compactMap { $0.restorationIdentifier?.text }
        setStoryboardChildren(children)
    }

    /// Encodes the identifiers of the children that are listed in this version or an earlier version of the storyboard.
    ///
    /// A later launch uses these identifiers to distinguish children that are no longer in the storyboard from children
    /// that code has added.
    func encodeStoryboardChildren(with coder: StateEncoder) {
        let currentIdentifiers = children.compactMap { $0.restorationIdentifier?.text }
        let identifiers =
            storyboardParts.childIdentifiers
            + storyboardParts.formerChildIdentifiers.filter { !currentIdentifiers.contains($0) }
        if !identifiers.isEmpty { coder.encode(identifiers, forKey: Self.storyboardChildrenKey) }
    }

    /// Decodes the identifiers of the children that the storyboard listed when the state was saved.
    func decodeStoryboardChildren(with coder: StateDecoder) throws {
        let savedIdentifiers =
            try coder.decode([String].self, forKey: Self.storyboardChildrenKey) ?? []
        storyboardParts.formerChildIdentifiers = savedIdentifiers.filter {
            !storyboardParts.childIdentifiers.contains($0)
        }
    }

    /// Returns whether a child was in the storyboard when the state was saved but no longer is.
    public final func hasLostStoryboardChild(
        _ identifier: RestorationIdentifier, savedBy coder: StateDecoder
    ) -> Bool {
        if storyboardParts.childIdentifiers.contains(identifier.text) { return false }
        do {
            let savedIdentifiers = try coder.decode(
                [String].self, forKey: Self.storyboardChildrenKey)
            return savedIdentifiers?.contains(identifier.text) == true
        } catch {
            return false  // The controller's own decoding reports the error.
        }
    }

    private static let storyboardChildrenKey: StaticString = "storyboardChildren"

    /// Adds a segue that a storyboard defines.
    package func addSegue(_ definition: SegueDefinition) {
        storyboardParts.segues[definition.identifier] = definition
    }

    /// Makes a control perform a segue when the user taps it.
    package func performSegue(_ identifier: String, whenTapped control: Control) {
        let links = (controller: WeakLink(to: self), control: WeakLink(to: control))
        control.addAction(for: .primaryActionTriggered) {
            let control = links.control.object
            guard let controller = links.controller.object,
                controller.shouldPerformSegue(withIdentifier: identifier, sender: control)
            else { return }
            controller.performSegue(withIdentifier: identifier, sender: control)
        }
    }
}

/// A side of a navigation bar.
package enum BarSide: String, Sendable, CaseIterable {
    /// The left side, next to the back button.
    case left = "leftBarButtonItems"
    /// The right side.
    case right = "rightBarButtonItems"
}

extension ViewController {
    /// Adds a button from a storyboard to the navigation bar, after the other buttons on that side.
    package func addBarButtonItem(_ name: String, _ item: BarButtonItem, on side: BarSide) {
        switch side {
        case .left: navigationItem.leftBarButtonItems.append(item)
        case .right: navigationItem.rightBarButtonItems.append(item)
        }
        addOutlet(name, item, in: navigationItem)
    }
}

/// The parts that a storyboard defines for one of its controllers.
struct StoryboardParts {
    /// The storyboard that created the controller, or `nil` if there is none.
    var storyboard: (any Storyboard)?
    /// The identifiers of the children that the storyboard lists.
    var childIdentifiers: [String] = []
    /// The identifiers of children that were in the storyboard when the state was saved but are no longer listed.
    var formerChildIdentifiers: [String] = []
    /// The segues, keyed by name.
    var segues: [ExactString: SegueDefinition] = [:]
    /// The views and bar button items that have a superview, keyed by name.
    private(set) var outlets: [ExactString: View] = [:]
    /// Views that will be added to the controller's view when that view is loaded.
    private var pendingViews: [(name: String, view: View)] = []

    /// Adds a view.
    ///
    /// - Parameter superview: The superview of the view, or `nil` if the view will be added to the controller's view
    ///   later.
    mutating func add(_ name: String, _ view: View, in superview: View?) {
        if superview == nil { pendingViews.append((name, view)) } else { outlets[name] = view }
    }

    /// Returns a view that will be added to the controller's view or become the controller's view, or `nil` if there is
    /// none.
    func pendingView(_ name: String) -> View? {
        pendingViews.first { $0.name == name }?.view
    }

    /// Calls a closure with each view that has not been added to the controller's view yet.
    func forEachPendingView(_ body: (View) -> Void) {
        for (_, view) in pendingViews { body(view) }
    }

    /// Removes and returns the views to add to the controller's newly created view.
    ///
    /// The views become outlets.
    mutating func consumePendingViews() -> [View] {
        defer { pendingViews = [] }
        for (name, outlet) in pendingViews { outlets[name] = outlet }
        return pendingViews.map(\.view)
    }
}
