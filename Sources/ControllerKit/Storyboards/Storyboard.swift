import ExactText
import StateRestoration

/// A description of controllers and views from which they are made.
public protocol Storyboard: AnyObject {
    /// The storyboard's name, which is recorded with each controller it made (P13).
    var name: String { get }

    /// The controller at which the interface begins.
    ///
    /// - Throws: what the storyboard cannot make, and where that is stated.
    func instantiateInitialViewController() throws -> ViewController

    /// A new controller.
    ///
    /// - Parameter identifier: the controller's name in the storyboard.
    /// - Throws: what the storyboard cannot make, and where that is stated.
    func instantiateViewController(withIdentifier identifier: String) throws -> ViewController

    /// Another storyboard of the same application, to which segues and code may lead from this one.
    ///
    /// - Parameter name: the other storyboard's name.
    /// - Returns: nil if there is none of that name.
    func storyboard(named name: String) -> (any Storyboard)?
}

extension Storyboard {
    /// Nil: there is no other storyboard.
    public func storyboard(named name: String) -> (any Storyboard)? { nil }
}

/// A storyboard that an application does not have.
public struct UnknownStoryboard: Error, Equatable, CustomStringConvertible {
    /// The name that was asked for.
    public let name: String
    /// The names that there are, if they are known.
    public let known: [String]

    /// No storyboard has this name; these there are.
    public init(name: String, known: [String] = []) {
        self.name = name
        self.known = known
    }

    /// One sentence naming all of them.
    public var description: String {
        "the application has no storyboard \"\(name)\""
            + (known.isEmpty ? "" : ": it has \(known.joined(separator: ", "))")
    }
}

extension ViewController {
    /// A storyboard made this controller under this name.
    package func wasMade(by storyboard: any Storyboard, as identifier: String) {
        self.storyboard = storyboard
        restoration.storyboard = StoryboardOrigin(name: storyboard.name, identifier: identifier)
    }
}
