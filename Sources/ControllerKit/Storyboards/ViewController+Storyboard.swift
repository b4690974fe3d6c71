extension ViewController {
    /// The storyboard that made the controller.
    public internal(set) var storyboard: (any Storyboard)? {
        get { stated.storyboard }
        set { stated.storyboard = newValue }
    }

    /// A view or bar button item that the storyboard states for this controller, by its name there,
    /// however deep it lies.
    ///
    /// A subclass names it in ``storyboardRequirements``, so that a storyboard without it is
    /// refused when it is read. A name that stands in neither is a programming error and traps.
    public func outlet<Outlet: View>(
        _ name: String, as type: Outlet.Type = Outlet.self
    ) -> Outlet {
        loadViewIfNeeded()
        guard let view = stated.outlets[name] as? Outlet else {
            preconditionFailure(
                "\(Self.self) has no \(Outlet.self) \"\(name)\": name it in storyboardRequirements")
        }
        return view
    }

    /// A new controller from the storyboard that made this one, or from another.
    ///
    /// A subclass names it in ``storyboardRequirements``, so that a storyboard without it is
    /// refused when it is read. A name that does not stand there is a programming error and traps.
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

    /// A storyboard hands over a view, before the controller's view is loaded.
    ///
    /// - Parameter superview: the view in which it lies already; nil: it comes into the
    ///   controller's view.
    package func addOutlet(_ name: String, _ view: View, in superview: View? = nil) {
        stated.add(name, view, in: superview)
    }
}
