import RepriseControl
import Varlink

/// Carries out the methods of `org.reprise.Control`.
struct ControlImplementation: Sendable {
    let applications: ApplicationList
    let stateDirectory: String
    let condition: DaemonCondition
    let reloads: ReloadRequests

    /// The interface with a function for each of its methods.
    ///
    /// - Throws: a registration that does not fit the definition, which is a fault of the program.
    func interface() throws -> InterfaceImplementation { try methods().implementation }

    /// All methods that are served.
    func methods() throws -> ServedMethods {
        var methods = ServedMethods(
            implementation: InterfaceImplementation(try ControlInterface.definition()))
        try DaemonMethods(
            applications: applications, stateDirectory: stateDirectory, condition: condition,
            reloads: reloads
        ).serve(in: &methods)
        try ApplicationMethods(applications: applications).serve(in: &methods)
        try SceneMethods(applications: applications).serve(in: &methods)
        return methods
    }
}
