/// What a storyboard states for a controller that it made.
struct StatedParts {
    /// The storyboard.
    var storyboard: (any Storyboard)?
    /// The segues, by their names.
    var segues: [String: SegueDefinition] = [:]
    /// The views and bar button items that lie somewhere, by their names.
    private(set) var outlets: [String: View] = [:]
    /// Views that wait for the controller's view.
    private var waiting: [(name: String, view: View)] = []

    /// Takes over a view.
    ///
    /// - Parameter superview: the view in which it lies already; nil: it waits for the controller's.
    mutating func add(_ name: String, _ view: View, in superview: View?) {
        if superview == nil { waiting.append((name, view)) } else { outlets[name] = view }
    }

    /// A view that waits for the controller's, or is to be it.
    func waitingView(_ name: String) -> View? {
        waiting.first { $0.name == name }?.view
    }

    /// The views that waited for the controller's, which was made: they are outlets from now on.
    mutating func takeWaiting() -> [View] {
        defer { waiting = [] }
        for (name, outlet) in waiting { outlets[name] = outlet }
        return waiting.map(\.view)
    }
}
