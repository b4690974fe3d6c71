/// A transition between two view controllers, defined in a storyboard.
///
/// Segues are used for navigation, not for restoration. A destination is saved like any other controller, and restoring
/// it does not perform a segue (R10).
public final class Segue {
    /// The way a segue shows its destination.
    public enum Kind: String, Sendable, CaseIterable {
        /// Pushes the destination onto the stack that contains the source.
        ///
        /// If there is no such stack, the destination is presented.
        case show
        /// Shows the destination in the secondary column of the split view controller that contains the source.
        ///
        /// If there is no such split view controller, the destination is presented.
        case showDetail
        /// Presents the destination over the source.
        case present
    }

    /// The segue's name in its controller.
    public let identifier: String
    /// The way the segue shows its destination.
    public let kind: Kind
    /// The controller from which the segue starts.
    public let source: ViewController
    /// The controller that the segue shows.
    ///
    /// When ``ViewController/prepare(for:sender:)`` is called, this controller has been created but is not shown yet.
    public let destination: ViewController

    init(_ definition: SegueDefinition, source: ViewController, destination: ViewController) {
        identifier = definition.identifier
        kind = definition.kind
        self.source = source
        self.destination = destination
    }

    func perform() {
        switch kind {
        case .show: source.show(destination)
        case .showDetail: source.showDetail(destination)
        case .present: source.present(destination)
        }
    }
}

/// The definition of a segue in a storyboard.
package struct SegueDefinition: Sendable {
    /// The segue's name in its controller.
    package let identifier: String
    /// The way the segue shows its destination.
    package let kind: Segue.Kind
    /// The name of the storyboard that defines the destination, or `nil` for the storyboard that defines the segue.
    package let storyboardName: String?
    /// The destination's name in its storyboard.
    package let destinationName: String

    /// Creates a segue definition.
    package init(
        identifier: String, kind: Segue.Kind, storyboardName: String? = nil, destinationName: String
    ) {
        self.identifier = identifier
        self.kind = kind
        self.storyboardName = storyboardName
        self.destinationName = destinationName
    }
}
