/// The errors of `org.varlink.service`. Source: varlink.org, "Service Interface".
extension VarlinkError {
    /// The names of the standard errors.
    package enum StandardName: String, Sendable, CaseIterable {
        /// The service has no such interface.
        case interfaceNotFound = "org.varlink.service.InterfaceNotFound"
        /// The interface has no such method.
        case methodNotFound = "org.varlink.service.MethodNotFound"
        /// The interface has the method, but this service does not carry it out.
        case methodNotImplemented = "org.varlink.service.MethodNotImplemented"
        /// A parameter is unknown, missing or of the wrong type.
        case invalidParameter = "org.varlink.service.InvalidParameter"
        /// The caller may not call this service.
        case permissionDenied = "org.varlink.service.PermissionDenied"
        /// The method replies several times and must be called with `more`.
        case expectedMore = "org.varlink.service.ExpectedMore"
    }

    /// Which standard error this is, or nil.
    package var standardName: StandardName? { StandardName(rawValue: name) }

    /// `InterfaceNotFound` for the interface of that name.
    package static func interfaceNotFound(_ interface: String) -> Self {
        Self(.interfaceNotFound, "interface", interface)
    }

    /// `MethodNotFound` for the fully qualified method.
    package static func methodNotFound(_ method: String) -> Self {
        Self(.methodNotFound, "method", method)
    }

    /// `MethodNotImplemented` for the fully qualified method.
    package static func methodNotImplemented(_ method: String) -> Self {
        Self(.methodNotImplemented, "method", method)
    }

    /// `InvalidParameter` for the parameter of that name.
    package static func invalidParameter(_ parameter: String) -> Self {
        Self(.invalidParameter, "parameter", parameter)
    }

    /// `PermissionDenied`.
    package static let permissionDenied = Self(name: StandardName.permissionDenied.rawValue)

    /// `ExpectedMore`.
    package static let expectedMore = Self(name: StandardName.expectedMore.rawValue)

    private init(_ standard: StandardName, _ field: String, _ value: String) {
        self.init(name: standard.rawValue, parameters: JSONText.object(field, value))
    }

    /// The one string that a standard error carries; "?" for one whose parameters are of another
    /// shape.
    private var subject: String {
        do {
            return try parameters(as: [String: String].self).values.first ?? "?"
        } catch {
            return "?"
        }
    }

    /// One sentence for a standard error, nil for any other.
    var standardSentence: String? {
        switch standardName {
        case .interfaceNotFound:
            "The service has no interface \"\(subject)\"; GetInfo lists those it has."
        case .methodNotFound:
            "The service has no method \"\(subject)\"; its interface description lists those it has."
        case .methodNotImplemented:
            "The service does not carry out the method \"\(subject)\", although its interface has it."
        case .invalidParameter:
            "The parameter \"\(subject)\" is unknown, missing or of the wrong type; compare it with the interface description."
        case .permissionDenied:
            "The service does not let this user call it; call it as its own user, as root or as a member of its group."
        case .expectedMore: "The method replies several times; call it with \"more\"."
        case nil: nil
        }
    }
}
