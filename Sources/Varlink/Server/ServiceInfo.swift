/// What `org.varlink.service.GetInfo` tells of a service, beside its interfaces.
package struct ServiceInfo: Sendable, Equatable {
    /// Who makes the service.
    package let vendor: String

    /// What it is called.
    package let product: String

    /// Its version.
    package let version: String

    /// Where to read about it.
    package let url: String

    /// What a service tells of itself.
    package init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
