/// Step in which a launch found the object for a record (R3, R7, R18).
package enum FindingStep: String, Sendable {
    /// The restoration class returned the object.
    case restorationClass
    /// The delegate returned the object.
    case delegate
    /// The object already existed at its path.
    case existing
    /// The storyboard created the object.
    case storyboard

    /// Description of the step, for use in a sentence.
    var phrase: String {
        switch self {
        case .restorationClass: "its restoration class returned it"
        case .delegate: "the delegate returned it"
        case .existing: "it already existed"
        case .storyboard: "its storyboard created it"
        }
    }
}
