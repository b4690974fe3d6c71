import ExactText
import StateRestoration

/// A description from which view controllers and their views are created.
public protocol Storyboard: AnyObject {
    /// The storyboard's name, which is recorded with each controller created from the storyboard (P13).
    var name: String { get }

    /// Creates the initial view controller.
    ///
    /// - Throws: An error that describes what cannot be created and where the storyboard defines it.
    func instantiateInitialViewController() throws -> ViewController

    /// Creates the controller with the given identifier.
    ///
    /// - Parameter identifier: The controller's name in the storyboard.
    /// - Throws: An error that describes what cannot be created and where the storyboard defines it.
    func instantiateViewController(withIdentifier identifier: String) throws -> ViewController

    /// Returns another storyboard of the application, for segues and code that refer to it.
    ///
    /// - Parameter name: The other storyboard's name.
    /// - Returns: The storyboard, or `nil` if there is no storyboard with this name.
    func storyboard(named name: String) -> (any Storyboard)?
}

extension Storyboard {
    /// Returns `nil`, for an application that has no other storyboard.
    public func storyboard(named name: String) -> (any Storyboard)? { nil }
}

/// An error that is thrown if an application has no storyboard with the requested name.
public struct UnknownStoryboardError: Error, Equatable, CustomStringConvertible {
    /// The requested name.
    public let name: String
    /// The names of the application's storyboards, or an empty list if they are unknown.
    public let knownNames: [String]

    /// Creates an error from a requested name and the known names.
    public init(name: String, knownNames: [String] = []) {
        self.name = name
        self.knownNames = knownNames
    }

    /// A sentence that contains the requested name and the known names.
    public var description: String {
        "the application has no storyboard \"\(name)\""
            + (knownNames.isEmpty ? "" : ": it has \(knownNames.joined(separator: ", "))")
    }
}

extension ViewController {
    /// Records which storyboard created this controller and the controller's name in that storyboard.
    package func recordInstantiation(by storyboard: any Storyboard, as identifier: String) {
        self.storyboard = storyboard
        restoration.storyboard = StoryboardOrigin(name: storyboard.name, identifier: identifier)
    }
}
