/// A way from one controller to another that a storyboard states.
///
/// It is a way for a person: what it led to is recorded as any controller, and no segue runs when
/// it is restored (R10).
public final class Segue {
    /// How the destination comes to be shown.
    public enum Kind: String, Sendable, CaseIterable {
        /// It is pushed on the stack that holds the source; presented, if none does.
        case show
        /// It comes into the secondary column of the split controller that holds the source;
        /// presented, if none does.
        case showDetail
        /// It is presented by the source.
        case present
    }

    /// The segue's name at its controller in the storyboard.
    public let identifier: String
    /// How the destination comes to be shown.
    public let kind: Kind
    /// The controller that the segue leads away from.
    public let source: ViewController
    /// The controller that the segue leads to, made anew and not shown yet.
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

/// A segue as a storyboard states it.
package struct SegueDefinition: Sendable {
    /// Its name at its controller.
    package let identifier: String
    /// How the destination comes to be shown.
    package let kind: Segue.Kind
    /// The storyboard that states the destination; nil: the one that states the segue.
    package let storyboard: String?
    /// The destination's name in its storyboard.
    package let destination: String

    /// A segue of these parts.
    package init(
        identifier: String, kind: Segue.Kind, storyboard: String? = nil, destination: String
    ) {
        self.identifier = identifier
        self.kind = kind
        self.storyboard = storyboard
        self.destination = destination
    }
}
