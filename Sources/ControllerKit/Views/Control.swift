/// A view that the user can operate.
///
/// A control runs actions when the user operates it.
open class Control: View {
    /// A user action on a control.
    public enum Event: Sendable {
        /// The user changed the value.
        case valueChanged
        /// The user changed the text.
        case editingChanged
        /// The user tapped the control.
        case primaryActionTriggered
    }

    /// Whether the user can operate the control.
    public var isEnabled = true

    /// The actions, in the order in which they were added.
    private var actions: [(event: Event, run: () -> Void)] = []

    /// Adds an action that runs whenever the user triggers an event.
    ///
    /// Changes made by code do not run the action.
    public func addAction(for event: Event, _ action: @escaping () -> Void) {
        actions.append((event, action))
    }

    /// Runs the actions for an event.
    public func sendActions(for event: Event) {
        for action in actions.filter({ $0.event == event }) { action.run() }
    }

    /// Throws an error if the control is disabled.
    func requireEnabled() throws(OperationError) {
        guard isEnabled else { throw .notPossible("it is disabled") }
    }

    /// The `isEnabled` property and the properties inherited from ``View``.
    open override var properties: [Property] {
        [Property("isEnabled", of: self, \.isEnabled)] + super.properties
    }
}
