import StateRestoration

extension ViewController {
    /// What a navigation bar shows while this controller is on top, made when first asked for.
    public var navigationItem: NavigationItem {
        if let existingNavigationItem { return existingNavigationItem }
        let item = NavigationItem()
        item.owner = self
        existingNavigationItem = item
        restoration.invalidateStructure()
        return item
    }
}
