/// A view that a person operates, and that tells what was done to it.
open class Control: View {
    /// An action of a person on a control.
    public enum Event: Sendable {
        /// A person chose another value.
        case valueChanged
        /// A person changed a text.
        case editingChanged
        /// A person tapped.
        case primaryActionTriggered
    }

    /// Whether a person can operate the control.
    public var isEnabled = true

    private var actions: [(event: Event, run: () -> Void)] = []

    /// Runs an action each time a person did this to the control, and not when code did.
    public func addAction(for event: Event, _ action: @escaping () -> Void) {
        actions.append((event, action))
    }

    /// Runs the actions for an event.
    public func sendActions(for event: Event) {
        for action in actions.filter({ $0.event == event }) { action.run() }
    }

    /// Refuses what a person does while the control is disabled.
    func requireEnabled() throws(OperationError) {
        guard isEnabled else { throw .notPossible("it is disabled") }
    }

    /// Also `isEnabled`.
    open override var properties: [Property] {
        [Property("isEnabled", of: self, \.isEnabled)] + super.properties
    }
}
