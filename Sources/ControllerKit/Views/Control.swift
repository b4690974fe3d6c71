/// A view that the user can operate.
///
/// A control runs actions in response to the user.
open class Control: View {
    /// A user action on a control.
    public enum Event: Sendable {
        /// The user chose another value.
        case valueChanged
        /// The user changed the text.
        case editingChanged
        /// The user tapped the control.
        case primaryActionTriggered
    }

    /// Whether the user can operate the control.
    public var isEnabled = true

    private var actions: [(event: Event, run: () -> Void)] = []

    /// Adds an action that runs whenever the user causes an event.
    ///
    /// Changes by code do not run the action.
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

    /// The property `isEnabled`, and the properties of a view.
    open override var properties: [Property] {
        [Property("isEnabled", of: self, \.isEnabled)] + super.properties
    }
}
