package import Varlink

/// The Varlink interface `org.reprise.Control`.
package enum ControlInterface {
    /// Its name.
    package static let name = "org.reprise.Control"

    /// Its definition, as `GetInterfaceDescription` gives it.
    package static var text: String {
        String(decoding: PackageResources.org_reprise_Control_varlink, as: UTF8.self)
    }

    /// Its definition, parsed.
    ///
    /// - Throws: a syntax error, which is a fault of the program.
    package static func definition() throws -> InterfaceDefinition {
        try InterfaceDefinition(parsing: text)
    }
}

/// The methods of ``ControlInterface``.
package enum ControlMethod: String, Sendable, CaseIterable {
    case status = "Status"
    case list = "List"
    case show = "Show"
    case tree = "Tree"
    case get = "Get"
    case type = "Type"
    case select = "Select"
    case tap = "Tap"
    case edit = "Edit"
    case move = "Move"
    case delete = "Delete"
    case scroll = "Scroll"
    case zoom = "Zoom"
    case load = "Load"
    case back = "Back"
    case forward = "Forward"
    case dismiss = "Dismiss"
    case report = "Report"
    case explain = "Explain"
    case open = "Open"
    case close = "Close"
    case preserve = "Preserve"
    case quit = "Quit"
    case launch = "Launch"
    case history = "History"
    case diff = "Diff"
    case quarantine = "Quarantine"
    case quarantinePutBack = "QuarantinePutBack"
    case rollback = "Rollback"
    case reset = "Reset"
    case reload = "Reload"
    case debugExit = "DebugExit"
    case debugTrap = "DebugTrap"

    /// The name that a call carries.
    package var qualifiedName: String { "\(ControlInterface.name).\(rawValue)" }
}
